"""One row: a group from one change of its facts to the next."""

from dataclasses import dataclass
from typing import Annotated

from pyspark.sql import DataFrame, types as t

from spark.groups import Flag, Int, Long, RowOfGroup, Text, columns_of

Names = Annotated[list[str] | None, t.ArrayType(t.StringType())]

GONE = "gone"
"""Status of a group in a snapshot of its cluster that doesn't have it any more."""


@dataclass(slots=True, kw_only=True)
class StateRow(RowOfGroup):
    """How a group was from `snapshot`, at position `start` of its cluster's timeline, to `end`.

    What isn't known is null. `status` and `reason` are those that a plan gives it, or `gone`.
    `excess`: how many partitions the most loaded member has more than the most loaded one of the
    optimum. `idle`: members without a partition. `type` and `state` are those of the table of
    groups.
    """

    snapshot: Text
    start: Int
    end: Int
    status: Text = None
    reason: Text = None
    type: Text = None
    state: Text = None
    members: Int = None
    partitions: Int = None
    max_load: Long = None
    min_load: Long = None
    sum_squares: Long = None
    excess: Long = None
    idle: Int = None


@dataclass(slots=True, kw_only=True)
class ChangeRow(StateRow):
    """The same, and what had changed since `from_snapshot`, the one of its cluster before.

    `changed` tells whether anything of that did. `status_before` is null if the group wasn't there.
    `came` and `left` are ids of members, `returned` those of new members that have the instance id
    of one who was there. `left_hosts` counts the hosts of members that left: an unknown one is one
    of its own. `topics_grew`, `topics_came` and `topics_went` are topics that somebody reads.
    `subscriptions_changed` counts the members, of those who stayed or returned, who read other
    topics than before.

    `changed_hands`: partitions with an owner before and after, who is another member. A member that
    returned under its instance id is the same owner (KIP-345). Of these are `moves`, whose owner
    before is still there and still subscribed, and `takeovers`, the others. `fewest_moves`: the
    fewest moves to any assignment of the same partitions whose loads are within those of the one
    that came about; `avoidable_moves` are what that one had more.
    """

    changed: Flag = False
    from_snapshot: Text = None
    status_before: Text = None
    type_before: Text = None
    members_before: Int = None
    came: Names = None
    left: Names = None
    left_hosts: Int = None
    returned: Names = None
    topics_grew: Names = None
    topics_came: Names = None
    topics_went: Names = None
    subscriptions_changed: Int = None
    changed_hands: Long = None
    moves: Long = None
    takeovers: Long = None
    fewest_moves: Long = None
    avoidable_moves: Long = None


BEFORE = ("cluster", "group", "from_snapshot", "snapshot", "status", "status_before")

FIRST = (*BEFORE, "type", "type_before", "members", "members_before")

INTERNAL = ("changed", "left_hosts")

CHANGES = [
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
    return change_rows.where("changed").select(*CHANGES)
