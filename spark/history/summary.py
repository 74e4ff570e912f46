"""Where a history is worth a look: the groups that rebalance most, and those that got worse."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, functions as F

from spark.files import SNAPSHOT
from spark.groups import GROUP_KEYS

_SUMS = ("moves", "takeovers", "avoidable_moves")


def restless(changes: DataFrame, rebalances: DataFrame) -> DataFrame:
    """A row a group with rebalances or partitions that changed hands, the most restless first.

    `generations` are its rebalances, `per_hour` those in an hour of the times between snapshots in
    which there were any, `cause` the commonest one; `moves`, `takeovers` and `avoidable` (moves)
    are sums over all its changes.
    """
    of_rebalances = rebalances.groupBy(*GROUP_KEYS).agg(
        F.sum("generations").alias("generations"),
        F.max("per_hour").alias("most_per_hour"),
        F.mode("cause", deterministic=True).alias("cause"),
    )
    of_changes = changes.groupBy(*GROUP_KEYS).agg(
        F.sum("moves").alias("moves"),
        F.sum("takeovers").alias("takeovers"),
        F.sum("avoidable_moves").alias("avoidable"),
    )
    rows = of_rebalances.join(of_changes, list(GROUP_KEYS), "full")
    order = (F.desc_nulls_last(name) for name in ("generations", "moves", "takeovers"))
    items = rows.where("generations > 0 or moves > 0 or takeovers > 0")
    return items.orderBy(*order, *GROUP_KEYS)


def worse(states: DataFrame) -> DataFrame:
    """A row a group whose `excess` is higher in the last snapshot with one than in the first."""

    def ends(column: str) -> list[Column]:
        return [
            F.min_by(column, SNAPSHOT).alias(f"{column}_first"),
            F.max_by(column, SNAPSHOT).alias(f"{column}_last"),
        ]

    entries = states.where("excess is not null").groupBy(*GROUP_KEYS)
    rows = entries.agg(
        F.min(SNAPSHOT).alias("first"),
        F.max(SNAPSHOT).alias("last"),
        *ends("excess"),
        *ends("lag"),
    )
    risen = F.col("excess_last") - F.col("excess_first")
    return rows.where(risen > 0).orderBy(risen.desc(), *GROUP_KEYS)


def totals(changes: DataFrame, rebalances: DataFrame) -> str:
    """What the whole fleet went through, in a sentence."""
    of_changes = changes.agg(
        F.count("*").alias("changes"),
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _SUMS),
    )
    of_rebalances = rebalances.agg(
        F.coalesce(F.sum("generations"), F.lit(0)).alias("generations"),
        F.count_if("remade").alias("remade"),
    )
    row = of_changes.crossJoin(of_rebalances).collect()[0]
    remade = f"; {row.remade} groups were deleted and created again" if row.remade else ""
    return (
        f"{row.generations} rebalances and {row.changes} changes: {row.moves} partitions moved, "
        f"{row.avoidable_moves} of them needlessly, and {row.takeovers} were taken over{remade}."
    )
