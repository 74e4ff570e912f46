"""Sums over a fleet that a report tells: worked out in Spark, few rows whatever its size."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from pyspark.sql import Column, DataFrame, functions as F

UNEVEN = "max_load - min_load >= 2"

Rows = list[dict[str, Any]]


def clusters_of(facts: DataFrame, findings: DataFrame) -> Rows:
    """A row a cluster: how its groups are, and how many findings are warnings or worse."""
    groups = facts.groupBy("cluster").agg(
        F.count("*").alias("groups"),
        F.count_if(F.col("max_load").isNull()).alias("unplanned"),
        F.expr(f"count_if({_found(UNEVEN)})").alias("current_uneven"),
        F.expr(f"count_if({UNEVEN})").alias("planned_uneven"),
        F.coalesce(F.sum("moves"), F.lit(0)).alias("moves"),
    )
    bad = findings.groupBy("cluster").agg(F.count_if(F.col("severity") != "info").alias("findings"))
    joined = groups.join(bad, "cluster", "left").fillna(0, ["findings"]).orderBy("cluster")
    return [row.asDict() for row in joined.collect()]


def _found(text: str) -> str:
    return text.replace("max_load", "current_max_load").replace("min_load", "current_min_load")


def worst_groups(facts: DataFrame, most: int) -> list[tuple[str, str]]:
    """Cluster and name of the groups whose most loaded member gains the most by a plan."""
    gain = F.col("current_max_load") - F.col("max_load")
    ranked = facts.where("max_load is not null").orderBy(
        gain.desc_nulls_last(), F.desc("moves"), "cluster", "group"
    )
    return [(row.cluster, row.group) for row in ranked.limit(most).collect()]


def of_groups(rows: DataFrame, groups: list[tuple[str, str]]) -> DataFrame:
    """The rows that are about these groups."""
    return rows.where(one_of(groups))


def one_of(groups: list[tuple[str, str]]) -> Column:
    """Whether a row is about one of these groups."""
    is_it = [(F.col("cluster") == cluster) & (F.col("group") == group) for cluster, group in groups]
    return reduce(or_, is_it, F.lit(False))
