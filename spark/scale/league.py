"""What each policy comes to over a fleet."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F

SUMMED = (
    *("member_hours", "late_partition_hours", "rebalances", "changes", "unread_seconds", "cost"),
)
"""Columns of a `ScaleRow` whose sums are those of the fleet."""


def fleet_of_scale(groups: DataFrame) -> DataFrame:
    """A row a policy, the cheapest first: sums over the groups that could be replayed.

    `groups` are these, `recommended` those for which it is; `on_time` is the mean share of the
    time, `cost_over_bound` the cost ÷ the bound.
    """
    replayed = groups.where("status = 'ok'")
    sums = replayed.groupBy("policy").agg(
        F.count("*").alias("groups"),
        F.count_if("recommended").alias("recommended"),
        *(F.sum(name).alias(name) for name in SUMMED),
        F.avg("on_time").alias("on_time"),
        F.sum("bound").alias("bound"),
    )
    over = F.when(F.col("bound") > 0, F.col("cost") / F.col("bound"))
    return sums.withColumn("cost_over_bound", over).orderBy("cost", "policy")
