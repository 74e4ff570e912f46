"""How each group was, and what happened to it: changes of its facts, and its rebalances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Annotated

from pyspark.sql import Column, DataFrame, functions as F, types as t

from spark.fleet import RECORDS_BEHIND, escaped_rows
from spark.groups import Flag, Int, Long, Outcome, Text, columns_of
from spark.history.group_spans import KEYS, GroupSpans, key_of
from spark.history.timeline import hours_between
from spark.store import SNAPSHOT

Names = Annotated[list[str] | None, t.ArrayType(t.StringType())]

GONE = "gone"
"""Status of a group in a snapshot of its cluster that doesn't have it any more."""


@dataclass(slots=True, kw_only=True)
class StateRow(Outcome):
    """How a group was from `snapshot`, at position `start` of its cluster's timeline, to `end`.

    What isn't known is null. `status` and `reason` are those that a plan gives it, or `gone`.
    `excess`: how many partitions the most loaded member has more than the most loaded one of the
    optimum. `idle`: members without a partition. `type` and `state` are those of the table of
    groups.
    """

    snapshot: Text
    start: Int
    end: Int
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
    """State of a group, and what had changed since `from_snapshot`, the one of its cluster before.

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


TRANSITION = ("cluster", "group", "from_snapshot", SNAPSHOT)

FIRST = ("status", "status_before", "type", "type_before", "members", "members_before")

NOT_SHOWN = (*columns_of(StateRow), *TRANSITION, *FIRST, "changed", "left_hosts")

CHANGES = [*TRANSITION, *FIRST, *(n for n in columns_of(ChangeRow) if n not in NOT_SHOWN)]


def changes_of(change_rows: DataFrame) -> DataFrame:
    """A row (cluster, group, from_snapshot, snapshot) for each transition with a change.

    The columns are those of a `ChangeRow` from `from_snapshot` on. Its status is `gone` in the
    first snapshot of its cluster without the group.
    """
    return change_rows.where("changed").select(*CHANGES)


CAUSES = {
    "recreated": "remade",
    "restart": "size(returned) > 0 or (size(came) > 0 and size(left) > 0)",
    "join": "size(came) > 0",
    "leave": "size(left) > 0 and (members = 0 or left_hosts > 1)",
    "crash": "size(left) > 0",
    "topic change": "size(topics_grew) + size(topics_came) + size(topics_went) > 0 "
    "or subscriptions_changed > 0",
}
"""The likeliest cause, the first that applies; SQL text over the columns of `rebalances_of`.

Who joins may bring topics, and who leaves may take some along: a change of topics alone is that.
Who left without a successor crashed, most likely; unless nobody stayed, or they left from several
hosts at once: then the group was shut down, or made smaller.
"""

NONE_SEEN = "none seen"


def rebalances_of(change_rows: DataFrame, group_spans: GroupSpans) -> DataFrame:
    """A row (cluster, group, from_snapshot, snapshot) for each transition with a rebalance.

    `generation_before` and `generation` are those of the group (its epoch, under KIP-848), and
    `generations` how often it rose; null where it isn't known, or fell, as it does when a group is
    deleted and `remade`. `hours` is the time between the snapshots, `per_hour` the generations in
    an hour. `cause` is the likeliest one (see `CAUSES`), or `none seen`.
    """
    changes = change_rows.where("changed and status_before is not null")
    generations = group_spans.rows.where("from_snapshot is not null").select(
        *TRANSITION, "generation", "generation_before"
    )
    rows = (
        escaped_rows(generations)
        .join(changes, list(TRANSITION), "left")
        .withColumns(
            {
                "remade": F.coalesce(
                    F.col("generation") < F.col("generation_before"), F.lit(False)
                ),
                "rise": F.col("generation") - F.col("generation_before"),
                "hours": hours_between(F.col("from_snapshot"), F.col(SNAPSHOT)),
            }
        )
        .withColumn("generations", F.expr("if(rise >= 0, rise, null)"))
    )
    seen = "size(came) + size(left) > 0 or changed_hands > 0 or subscriptions_changed > 0"
    rebalanced = rows.where(f"remade or generations > 0 or (generations is null and ({seen}))")
    return rebalanced.select(
        *TRANSITION,
        "generation_before",
        "generation",
        "generations",
        "remade",
        "hours",
        (F.col("generations") / F.col("hours")).alias("per_hour"),
        _cause().alias("cause"),
    )


def _cause() -> Column:
    cause = F.lit(NONE_SEEN)
    for name, applies in reversed(CAUSES.items()):
        cause = F.when(F.expr(applies), name).otherwise(cause)
    return cause


LAG_OF_GROUP = "if(members > 0 and is_reading, lag_of_read, lag_of_all)"
"""SQL text: of what a group has offsets of and doesn't read, nobody is to follow the end.

While a group rebalances, Kafka tells no subscriptions, and nobody follows any end.
"""

OF_GROUP = "of_group"

COLUMNS = [name for name in columns_of(StateRow) if name not in (*KEYS, "start", "end")]


def states_of(
    change_rows: DataFrame, group_spans: GroupSpans, tables: Mapping[str, DataFrame]
) -> DataFrame:
    """A row (snapshot, cluster, group): a `StateRow`'s columns, and the group's `lag` in records.

    That is the sum of known lags over the topics that the group reads, or, where it has no members
    or no subscription is known, over all that it has offsets of; null where none is known.
    """
    span = ("cluster", "group", "start")
    spans = group_spans.rows.select(SNAPSHOT, *span)
    if "offsets" in tables:
        rows = spans.join(_lags(tables, KEYS), key_of(*KEYS) == F.col(OF_GROUP), "left")
    else:
        unknown = F.lit(None).cast("long")
        names = ("lag_of_read", "lag_of_all")
        rows = spans.withColumns({**dict.fromkeys(names, unknown), "is_reading": F.lit(False)})
    states = escaped_rows(rows).join(
        change_rows.where(F.col("status") != GONE).select(*span, *COLUMNS), list(span)
    )
    return states.select(*KEYS, *COLUMNS, F.expr(LAG_OF_GROUP).alias("lag"))


def lags_of(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The `lag` of each (cluster, group) in tables of one instant, as its states have it.

    The tables have no column `snapshot`, and offsets are among them.
    """
    keys = KEYS[1:]
    sizes = [
        tables[name].select(*keys, F.lit(int(name == "members")).alias("members"))
        for name in ("groups", "members", "subscriptions", "assignments")
        if name in tables
    ]
    groups = reduce(DataFrame.unionAll, sizes).groupBy(*keys).agg(F.max("members").alias("members"))
    lags = groups.join(_lags(tables, keys), key_of(*keys) == F.col(OF_GROUP))
    return escaped_rows(lags.select(*keys, F.expr(LAG_OF_GROUP).alias("lag")))


def _lags(tables: Mapping[str, DataFrame], keys: Sequence[str]) -> DataFrame:
    """The known lags of each group over what it reads, and over all that it has offsets of.

    Groups and topics are told by a number of each: there is a row for each partition and member.
    """
    of_group = key_of(*keys).alias(OF_GROUP)
    topic = (of_group, key_of(*keys, "topic").alias("of_topic"))
    lags = tables["offsets"].select(
        *topic, F.expr(f"{RECORDS_BEHIND} as lag"), F.lit(False).alias("is_read")
    )
    read = tables["subscriptions"].select(
        *topic, F.lit(None).cast("long").alias("lag"), F.lit(True).alias("is_read")
    )
    by_topic = (
        lags.unionAll(read)
        .groupBy(OF_GROUP, "of_topic")
        .agg(
            F.try_sum("lag").alias("lag"),
            F.count("lag").alias("known"),
            F.bool_or("is_read").alias("is_read"),
            F.bool_or(~F.col("is_read")).alias("is_listed"),
        )
    )
    groups = by_topic.groupBy(OF_GROUP).agg(
        F.expr(_total("is_read")).alias("lag_of_read"),
        F.expr(_total("true")).alias("lag_of_all"),
        *(F.bool_or(name).alias(name) for name in ("is_read", "is_listed")),
    )
    return groups.where("is_listed").withColumnRenamed("is_read", "is_reading")


def _total(condition: str) -> str:
    """SQL text: the sum over those topics; null where it, or one of theirs, is too large."""
    too_large = f"bool_or(known > 0 and lag is null) filter (where {condition})"
    return f"if({too_large}, null, try_sum(lag) filter (where {condition}))"
