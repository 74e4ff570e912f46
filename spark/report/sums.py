"""Rows that a report shows: summed up by Spark, few whatever the size of the fleet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from pyspark.sql import Column, DataFrame, functions as F

from spark.fleet import escaped_rows
from spark.report.material import Key

KEYS = ("cluster", "group")

UNEVEN = "coalesce(current_max_load > max_load, false)"
"""SQL text: whether the largest load of a group could be smaller."""

OWNER = "if(action = 'takeover', null, previous_member_id)"
"""SQL text over a plan's assignments: the member that has the partition now."""

LOADS = 40
"""Members of a group that the page shows: those whose loads change most."""

Rows = list[dict[str, Any]]


def figures_of(facts: DataFrame, assignments: DataFrame, lags: DataFrame | None) -> dict[str, Any]:
    """How many `groups`, `members`, `uneven` groups and `idle` members that could have work.

    And the sum of the groups' `lag`; None where none is known.
    """
    now = f"count(distinct {OWNER})"
    gained = assignments.groupBy(*KEYS).agg(F.expr(f"count(distinct member_id) - {now} as idle"))
    idle = gained.agg(F.expr("coalesce(sum(greatest(idle, 0)), 0) as idle"))
    sums = facts.agg(
        F.count("*").alias("groups"),
        F.expr("coalesce(sum(members), 0) as members"),
        F.expr(f"count_if({UNEVEN}) as uneven"),
    ).crossJoin(idle)
    if lags is None:
        return sums.collect()[0].asDict() | {"lag": None}
    return sums.crossJoin(lags.agg(F.expr("try_sum(lag) as lag"))).collect()[0].asDict()


def clusters_of(facts: DataFrame, findings: DataFrame) -> Rows:
    """A row a cluster: how its groups are, and how many findings are warnings or worse."""
    groups = facts.groupBy("cluster").agg(
        F.count("*").alias("groups"),
        F.count_if(F.col("max_load").isNull()).alias("unplanned"),
        F.expr(f"count_if({UNEVEN})").alias("uneven"),
        F.coalesce(F.sum("moves"), F.lit(0)).alias("moves"),
        F.sum("current_remote_reads").alias("remote"),
        F.sum("remote_reads").alias("planned_remote"),
    )
    bad = findings.groupBy("cluster").agg(F.count_if(F.col("severity") != "info").alias("findings"))
    joined = groups.join(bad, "cluster", "left").fillna(0, ["findings"]).orderBy("cluster")
    return [row.asDict() for row in joined.collect()]


def worst_groups(facts: DataFrame, most: int) -> DataFrame:
    """The groups whose largest load is furthest above the best possible, then the largest ones."""
    ratio = F.try_divide("current_max_load", "max_load")
    order = (ratio.desc_nulls_last(), F.desc("partitions"), *KEYS)
    return facts.orderBy(*order).limit(most)


def group_rows(groups: DataFrame, beside: Sequence[DataFrame]) -> Rows:
    """A row a group, in the order of `worst_groups`, with the columns of what is `beside` it."""
    joined = reduce(lambda rows, other: rows.join(other, list(KEYS), "left"), beside, groups)
    return as_rows(worst_groups(joined, 2**31 - 1))


def loads_of(assignments: DataFrame, members: DataFrame) -> DataFrame:
    """`loads`: how many partitions each member of a group has `now` and `planned`."""
    counts = [
        assignments.select(*KEYS, F.expr(OWNER).alias("member"), F.lit(1), F.lit(0)),
        assignments.select(*KEYS, "member_id", F.lit(0), F.lit(1)),
        escaped_rows(members.select(*KEYS, "member_id")).select("*", F.lit(0), F.lit(0)),
    ]
    rows = reduce(DataFrame.unionAll, counts).toDF(*KEYS, "member", "now", "planned")
    sums = rows.where("member is not null").groupBy(*KEYS, "member")
    loads = sums.agg(F.sum("now").alias("now"), F.sum("planned").alias("planned"))
    item = F.struct(F.expr("abs(now - planned)"), "now", "planned", "member")
    most_changed = F.sort_array(F.collect_list(item), asc=False)
    return loads.groupBy(*KEYS).agg(F.slice(most_changed, 1, LOADS).alias("loads"))


def kinds_of(findings: DataFrame) -> DataFrame:
    """`found`: the severity and kind of each finding about a group."""
    kinds = F.collect_set(F.struct("severity", "finding")).alias("found")
    return findings.where("`group` is not null").groupBy(*KEYS).agg(kinds)


def answers_of(comparison: DataFrame) -> DataFrame:
    """`answers`: what each strategy makes of a group."""
    item = F.struct("strategy", "excess", "moves")
    return (
        comparison.where("excess is not null")
        .groupBy(*KEYS)
        .agg(F.collect_list(item).alias("answers"))
    )


def weights_of(comparison: DataFrame) -> DataFrame:
    """`weights`: the largest load by weight ÷ the proven bound, under each strategy."""
    ratio = F.try_divide("max_weight", "weight_bound").alias("ratio")
    item = F.struct("strategy", ratio)
    return (
        comparison.where("weight_bound > 0")
        .groupBy(*KEYS)
        .agg(F.collect_list(item).alias("weights"))
    )


def of_groups(rows: DataFrame, groups: Sequence[Key]) -> DataFrame:
    """The rows that are about these groups."""
    return rows.where(one_of(groups))


def one_of(groups: Sequence[Key]) -> Column:
    """Whether a row is about one of these groups."""
    is_it = [(F.col("cluster") == cluster) & (F.col("group") == group) for cluster, group in groups]
    return reduce(or_, is_it, F.lit(False))


def as_rows(rows: DataFrame) -> list[dict[str, Any]]:
    """The rows of a small table as dictionaries."""
    return [row.asDict(recursive=True) for row in rows.collect()]
