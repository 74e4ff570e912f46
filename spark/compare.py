"""Compare strategies over a fleet."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from optimizer.strategies import STRATEGIES
from spark.encode import encode
from spark.errors import InputError
from spark.snapshot import FleetSnapshot
from spark.solve import CURRENT, measure_groups


def compare_fleet(snapshot: FleetSnapshot, strategies: Sequence[str] = ()) -> DataFrame:
    """What each strategy does to each group: one row a (cluster, group, strategy).

    The columns are those of a plan's `groups`; `current`, the assignment as found, is one of the
    strategies, and without any named all are compared. InputError (a ValueError) for an unknown
    one and for null keys. A group is encoded once for all strategies.
    """
    chosen = check_strategies(strategies)
    return measure_groups(encode(snapshot.validate()), chosen)


def check_strategies(strategies: Sequence[str]) -> list[str]:
    """The strategies to compare, each once, all if none is named; InputError for an unknown one."""
    known = [CURRENT, *STRATEGIES]
    chosen = list(dict.fromkeys(name.strip() for name in strategies)) or known
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise InputError(f"unknown strategy {unknown[0]!r}: choose from {', '.join(known)}")
    return chosen


def fleet_of(comparison: DataFrame) -> DataFrame:
    """One row a strategy: how the whole fleet would fare, over the groups that can be planned.

    `unbalanced` counts groups that could be balanced better or aren't wholly assigned, `excess` the
    partitions that the most loaded members have above their groups' mean, rounded up.
    """
    planned = F.col("max_load").isNotNull()
    mean = F.col("partitions") / F.col("members")
    return (
        comparison.groupBy("strategy")
        .agg(
            F.count_if(planned).alias("groups"),
            F.count_if(~planned).alias("without_plan"),
            F.count_if(planned & ~F.coalesce("balance_optimal", F.lit(False))).alias("unbalanced"),
            F.max(F.when(mean > 0, F.col("max_load") / mean)).alias("worst_max_to_mean"),
            F.sum(F.greatest(F.col("max_load") - F.ceil(mean), F.lit(0))).alias("excess"),
            F.sum("sum_squares").alias("sum_squares"),
            F.sum("moves").alias("moves"),
            F.sum("takeovers").alias("takeovers"),
        )
        .orderBy("unbalanced", "excess", "moves", "strategy")
    )
