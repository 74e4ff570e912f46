"""What is told of each group from one change of its facts to the next, inside `mapInPandas`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from optimizer.solver import least_max_load_of
from spark.groups import outlived_in_time
from spark.history.encode import encode_changes, groups_in_time
from spark.history.facts import Facts
from spark.history.moment import Moment
from spark.history.timeline import Timeline
from spark.history.told_row import GONE, ToldRow
from spark.history.transition import changes_between, first_seen, last_seen
from spark.solve import columns_of, schema_of

if TYPE_CHECKING:
    import pandas as pd

ROWS = 1000
"""Of a batch that a worker hands back."""


def told_of(facts: Facts, tables: Mapping[str, DataFrame], timeline: Timeline) -> DataFrame:
    """A `ToldRow` for each group and start of `facts`, and for each time that a group is gone."""
    encoded = encode_changes(tables, facts)

    def tell(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        import pandas as pd  # noqa: PLC0415

        told = outlived_in_time(
            groups_in_time(batches), lambda group: rows_of(iter(group), timeline)
        )
        while some := [row.cells() for row in islice(told, ROWS)]:
            yield pd.DataFrame(some, columns=columns_of(ToldRow))

    return encoded.mapInPandas(tell, schema_of(ToldRow))


def rows_of(group: Iterator[Any], timeline: Timeline) -> Iterator[ToldRow]:
    """The rows of one group, from its encoded ones in order of time."""
    before: Moment | None = None
    for row in group:
        after = Moment.of(row)
        if before is not None and before.row.end + 1 < row.start:
            yield _gone(before, timeline, row.start - 1)
            before = None
        yield _told(before, after, timeline)
        before = after
    if before is not None and before.row.end < timeline.last(before.row.cluster):
        yield _gone(before, timeline, timeline.last(before.row.cluster))


def _told(before: Moment | None, after: Moment, timeline: Timeline) -> ToldRow:
    row, group = after.row, after.group
    found: dict[str, Any] = {}
    if group.problem:
        found |= after.found(least_max_load_of(group.problem))
    snapshots = timeline.snapshots[row.cluster]
    changes: dict[str, Any] = {}
    if row.start:
        changes = changes_between(before, after) if before else first_seen(after)
        changes["from_snapshot"] = snapshots[row.start - 1]
    return ToldRow(
        cluster=row.cluster,
        group=row.group,
        snapshot=row.snapshot,
        start=row.start,
        end=row.end,
        status=group.status,
        reason=group.reason,
        type=row.type,
        members=len(row.member_ids),
        **found,
        **changes,
    )


def _gone(before: Moment, timeline: Timeline, end: int) -> ToldRow:
    """Of a group that isn't there from after `before` to position `end`."""
    row = before.row
    snapshots = timeline.snapshots[row.cluster]
    return ToldRow(
        cluster=row.cluster,
        group=row.group,
        snapshot=snapshots[row.end + 1],
        start=row.end + 1,
        end=end,
        status=GONE,
        from_snapshot=snapshots[row.end],
        **last_seen(before),
    )
