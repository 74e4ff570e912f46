"""How each group was, in each snapshot."""

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame, functions as F

from spark.fleet import RECORDS_BEHIND, escaped_rows
from spark.groups import columns_of
from spark.history.change_row import GONE, StateRow
from spark.history.group_spans import KEYS, GroupSpans, key_of
from spark.store import SNAPSHOT

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
    entries = [
        tables[name].select(*keys, F.lit(int(name == "members")).alias("members"))
        for name in ("groups", "members", "subscriptions", "assignments")
        if name in tables
    ]
    groups = (
        reduce(DataFrame.unionAll, entries).groupBy(*keys).agg(F.max("members").alias("members"))
    )
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
