"""The assignor that each uneven group should use: the cheapest one that suffices."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, functions as F

from optimizer.strategies import OPTIMAL, sticky_for
from spark.compare.compared_row import ComparedRow
from spark.compare.measure import rows_of_group
from spark.groups import EncodedRow, own_strategy
from spark.settings import CURRENT, FleetGoals
from spark.solve import TimeLimit

PLAN_IT = "a plan"
"""The cure where no assignor that was compared does as well as one."""

MAX_GROUPS = 10_000
"""Uneven groups that are examined, the worst ones."""

TOLERANCE = 1.01
"""A largest load of up to this multiple of the plan's is as good; that of goals by default."""


def cures_of(comparison: DataFrame) -> list[dict[str, Any]]:
    """A row for each uneven group under `current`, the worst first.

    `now` is its largest load and `best` that of the plan: partitions, or, by weight, times the
    proven bound. `set` is the assignor that is as good with the fewest moves, or `PLAN_IT`; `then`
    is the largest load under it, and `moves` are what it takes. Empty unless `current` and
    `optimal` were compared.
    """
    load = F.expr("if(weight_bound > 0, max_weight / weight_bound, double(max_load))")
    rows = comparison.withColumn("load", load).where("load is not null")
    outcome = F.struct("moves", "strategy", "load")
    of_group = rows.groupBy("cluster", "group").agg(
        F.max("partitions").alias("partitions"),
        _of(CURRENT).alias("now"),
        _of(OPTIMAL).alias("best"),
        F.collect_list(F.when(~F.col("strategy").isin(CURRENT), outcome)).alias("outcomes"),
    )
    good = F.expr(
        f"sort_array(filter(outcomes, one -> one.load <= best * if(one.strategy = '{OPTIMAL}', "
        f"1, {TOLERANCE}D)))"
    )
    others = F.filter(good, lambda row: row["strategy"] != OPTIMAL)
    cure = F.coalesce(F.try_element_at(others, F.lit(1)), F.try_element_at(good, F.lit(1)))
    named = F.when(cure["strategy"] == OPTIMAL, F.lit(PLAN_IT)).otherwise(cure["strategy"])
    uneven = of_group.where(F.col("now") > F.col("best") * F.lit(1 + 1e-9))
    order = ((F.col("now") / F.col("best")).desc(), F.desc("partitions"), "cluster", "group")
    worst = uneven.orderBy(*order).limit(MAX_GROUPS)
    values = {"set": named, "then": cure["load"], "moves": cure["moves"]}
    rows = worst.select(
        *("cluster", "group", "now", "best"),
        *(value.alias(name) for name, value in values.items()),
    )
    return [row.asDict() for row in rows.collect()]


def _of(strategy: str) -> Column:
    return F.max(F.when(F.col("strategy") == strategy, F.col("load")))


def sentence_of_cures(rows: Sequence[Mapping[str, Any]], by_weight: bool = False) -> str:
    """How many uneven groups there are, and how many of them each cure evens out."""
    counts = Counter(row["set"] for row in rows)
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    listed = ", ".join(f"{name} in {counts[name]:,}" for name in ranked)
    is_uneven = "1 group is" if len(rows) == 1 else f"{len(rows):,} groups are"
    return f"{is_uneven} uneven{' by weight' * by_weight} now; the cheapest cure is {listed}."


def kafka_could(
    groups: Iterable[EncodedRow], goals: FleetGoals, strategy_seconds: float
) -> dict[tuple[str, str], str]:
    """The assignor of Kafka's that is as good in each of these few groups, or `nothing`.

    By count: groups that are balanced by weight are left out.
    """
    could = {}
    with TimeLimit(strategy_seconds) as limit:
        for row in groups:
            own = goals.of(row.cluster, row.group)
            if not own.by_weight:
                names = sticky_for(own_strategy(row))
                could[row.cluster, row.group] = _best_of([*rows_of_group(row, names, limit, own)])
    return could


def _best_of(rows: Sequence[ComparedRow]) -> str:
    good = [(row.moves or 0, str(row.strategy)) for row in rows if row.excess == 0]
    return min(good)[1] if good else "nothing"
