"""What happened to each group, from one snapshot of its cluster to the next."""

from pyspark.sql import DataFrame

from spark.groups import columns_of
from spark.history.change_row import ChangeRow, StateRow

BEFORE = ("cluster", "group", "from_snapshot", "snapshot", "status", "status_before")

FIRST = (*BEFORE, "type", "type_before", "members", "members_before")

INTERNAL = ("changed", "left_hosts")

COLUMNS = [
    *FIRST,
    *(
        name
        for name in columns_of(ChangeRow)
        if name not in (*columns_of(StateRow), *FIRST, *INTERNAL)
    ),
]


def changes_of(change_rows: DataFrame) -> DataFrame:
    """A row (cluster, group, from_snapshot, snapshot) for each transition with a change.

    The columns are those of a `ChangeRow` from `from_snapshot` on. Its status is `gone` in the
    first snapshot of its cluster without the group.
    """
    return change_rows.where("changed").select(*COLUMNS)
