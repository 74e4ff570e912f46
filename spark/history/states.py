"""How each group was, in each snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame, functions as F

from spark.fleet import RECORDS_BEHIND, escaped_rows
from spark.groups import columns_of
from spark.history.change_row import GONE, StateRow
from spark.history.facts import KEYS, Facts

LAG_OF_GROUP = "if(members > 0, lag_of_read, lag_of_all)"
"""SQL text: of what a group has offsets of and doesn't read, nobody is to follow the end."""

COLUMNS = [name for name in columns_of(StateRow) if name not in (*KEYS, "start", "end")]


def states_of(told: DataFrame, facts: Facts, tables: Mapping[str, DataFrame]) -> DataFrame:
    """A row (snapshot, cluster, group): a `StateRow`'s columns, and the group's `lag` in records.

    That is the sum of known lags over the topics that the group reads, or, where it has no members,
    over all that it has offsets of; null where none is known.
    """
    span = ("cluster", "group", "start")
    if "offsets" in tables:
        rows = facts.rows.join(_lags(tables, KEYS), list(KEYS), "left")
    else:
        unknown = F.lit(None).cast("long")
        rows = facts.rows.withColumns({"lag_of_read": unknown, "lag_of_all": unknown})
    states = escaped_rows(rows).join(
        told.where(F.col("status") != GONE).select(*span, *COLUMNS), list(span)
    )
    return states.select(*KEYS, *COLUMNS, F.expr(LAG_OF_GROUP).alias("lag"))


def lag_of(tables: Mapping[str, DataFrame]) -> int | None:
    """The sum of the lags of a fleet's groups, as their states have them; None if none is known.

    By one job over the tables of one instant, which have no column `snapshot`.
    """
    if "offsets" not in tables:
        return None
    keys = KEYS[1:]
    known = [
        tables[name].select(*keys, F.lit(int(name == "members")).alias("members"))
        for name in ("groups", "members", "subscriptions", "assignments")
        if name in tables
    ]
    groups = reduce(DataFrame.unionAll, known).groupBy(*keys).agg(F.max("members").alias("members"))
    rows = groups.join(_lags(tables, keys), list(keys))
    (row,) = rows.agg(F.expr(f"try_sum({LAG_OF_GROUP})")).collect()
    found: int | None = row[0]
    return found


def _lags(tables: Mapping[str, DataFrame], keys: Sequence[str]) -> DataFrame:
    """The known lags of each group over what it reads, and over all that it has offsets of."""
    read = tables["subscriptions"].select(*keys, "topic", F.lit(True).alias("is_read")).distinct()
    by_topic = (
        tables["offsets"]
        .groupBy(*keys, "topic")
        .agg(F.expr(f"sum(cast({RECORDS_BEHIND} as decimal(20)))").alias("lag"))
        .join(read, [*keys, "topic"], "left")
    )
    return by_topic.groupBy(*keys).agg(
        F.expr("try_cast(sum(lag) filter (where is_read) as long)").alias("lag_of_read"),
        F.expr("try_cast(sum(lag) as long)").alias("lag_of_all"),
    )
