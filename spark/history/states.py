"""How each group was, in each snapshot."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.fleet import LAG, escaped_rows
from spark.history.facts import KEYS, Facts
from spark.history.told_row import GONE, StateRow
from spark.solve import columns_of

NOT_BELOW_0 = f"if({LAG} < 0, 0, {LAG})"
"""SQL text: a lag, none where an offset is beyond the end; `greatest` would pass over nulls."""

COLUMNS = [name for name in columns_of(StateRow) if name not in (*KEYS, "start", "end")]


def states_of(told: DataFrame, facts: Facts, tables: Mapping[str, DataFrame]) -> DataFrame:
    """A row (snapshot, cluster, group): a `StateRow`'s columns, and the group's `lag` in records.

    That is the sum of known lags over the topics that the group reads, or, where it has no members,
    over all that it has offsets of; null where none is known.
    """
    span = ("cluster", "group", "start")
    rows = escaped_rows(_with_lags(facts.rows, tables))
    states = rows.join(told.where(F.col("status") != GONE).select(*span, *COLUMNS), list(span))
    lag = F.when(F.col("members") > 0, F.col("lag_of_read")).otherwise(F.col("lag_of_all"))
    return states.select(*KEYS, *COLUMNS, lag.alias("lag"))


def _with_lags(rows: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    if "offsets" not in tables:
        unknown = F.lit(None).cast("long")
        return rows.withColumns({"lag_of_read": unknown, "lag_of_all": unknown})
    read = tables["subscriptions"].select(*KEYS, "topic", F.lit(True).alias("is_read")).distinct()
    by_topic = (
        tables["offsets"]
        .groupBy(*KEYS, "topic")
        .agg(F.expr(f"sum(cast({NOT_BELOW_0} as decimal(20)))").alias("lag"))
        .join(read, [*KEYS, "topic"], "left")
    )
    lags = by_topic.groupBy(*KEYS).agg(
        F.expr("try_cast(sum(lag) filter (where is_read) as long)").alias("lag_of_read"),
        F.expr("try_cast(sum(lag) as long)").alias("lag_of_all"),
    )
    return rows.join(lags, list(KEYS), "left")
