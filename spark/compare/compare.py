"""Compare strategies over a fleet."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Row, functions as F

from optimizer.advice import LEVELS
from optimizer.model import Goals
from spark.compare.measure import measure_groups
from spark.fleet import UNPLANNED, FleetSnapshot
from spark.groups import GROUP_KEYS, encode, weight_tables
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    STRATEGY_SECONDS,
    FleetGoals,
    as_fleet_goals,
    check_strategies,
)
from spark.text import shortened
from spark.trial import need_racks, over_bound


def compare_fleet(
    snapshot: FleetSnapshot,
    strategies: Sequence[str] = (),
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals | Goals = DEFAULT_FLEET_GOALS,
    rates: DataFrame | None = None,
) -> DataFrame:
    """What each strategy does to each group: one row a (cluster, group, strategy).

    The columns are those of a plan's `groups`, and the price of getting there: see
    `spark.compare.measure`. `current`, the current assignment, is one of the strategies, and
    without any named all are compared. Groups of Connect workers (`type` of their row in groups)
    have rows for the strategies of Connect, all others for those of consumers, also if others are
    named. Where a strategy needs more than `strategy_seconds` of processor time for a group, or
    Kafka's own code would throw, the row is `failed` and says so. `goals` are those of `optimal`;
    reads are counted in their meaning for all strategies. A group is encoded once for all
    strategies. `rates` are as `plan_fleet` takes them. InputError (a ValueError) for an unknown
    strategy and for null keys.
    """
    names = check_strategies(strategies)
    goals = as_fleet_goals(goals)
    encoded = encoded_for(snapshot, names, goals, rates)
    return measure_groups(encoded, names, strategy_seconds, goals)


def encoded_for(
    snapshot: FleetSnapshot, strategies: Sequence[str], goals: FleetGoals, rates: DataFrame | None
) -> DataFrame:
    """The encoded groups of a snapshot, with what these strategies and goals look at."""
    weights = weight_tables(snapshot, goals.sources, rates)
    return encode(snapshot.validate(), need_racks(strategies, goals), weights=weights)


def fleet_of(comparison: DataFrame, *keys: str) -> DataFrame:
    """One row a kind of groups and strategy, the best first: how the whole fleet would fare.

    With further `keys`, columns of the comparison, one for each of their values, in their order.

    * `kind`: `consumer`, then `connect`, if there are groups of Connect workers.
    * `groups`: those that the strategy has an answer for; the sums are over them. `not_evaluated`
      counts the others, and `why` says how many are empty, rebalancing, invalid or failed, and
      what befell the first that failed.
    * `uneven`: groups whose largest load is `info` or worse, by count or by weight.
    * `unbalanced`: groups of which some load could be more even, or that aren't wholly assigned:
      `unread` counts the partitions without a reader.
    * `worst_max_to_mean`: the highest load of a group over its mean load, in the worst group. More
      members than partitions make it high whoever assigns them.
    * `mean_topic_share`: the mean of the groups' `worst_topic_share`.
    * `excess`: the partitions that the most loaded member of each group has above the most loaded
      one of that group's optimum.
    * `host_excess`: the same of the most loaded host of each group.
    * `local_reads`, `remote_reads`: sums over groups whose goals and facts have racks.
    * `mean_over_bound`, `worst_over_bound`: the largest load by weight over the group's bound (1 is
      as low as possible), on average and in the worst group; null without goals by weight. Groups
      with unread partitions aren't among them: what isn't read weighs nothing.
    * `moves`, `takeovers`, `sum_squares`, `spread`, `stopped_eager`, `stopped_cooperative`,
      `rounds`: sums.

    Within a kind, the order is by `mean_over_bound` (to a thousandth), if there is one, then by
    groups that aren't balanced or have no answer, then by excess, then by moves.
    """
    answered = F.col("max_load").isNotNull()
    mean = F.col("partitions") / F.col("members")
    over = F.when(F.coalesce("unread", F.lit(0)) == 0, over_bound())
    sums = (
        "excess",
        "host_excess",
        "local_reads",
        "remote_reads",
        "sum_squares",
        "spread",
        "moves",
        "takeovers",
        "stopped_eager",
        "stopped_cooperative",
        "unread",
    )
    return (
        comparison.groupBy(*keys, "kind", "strategy")
        .agg(
            F.count_if(answered).alias("groups"),
            F.count_if(~answered).alias("not_evaluated"),
            _uneven().alias("uneven"),
            F.count_if(answered & ~F.coalesce("balance_optimal", F.lit(False))).alias("unbalanced"),
            F.max(F.when(mean > 0, F.col("max_load") / mean)).alias("worst_max_to_mean"),
            F.avg("worst_topic_share").alias("mean_topic_share"),
            F.avg(over).alias("mean_over_bound"),
            F.max(over).alias("worst_over_bound"),
            *(F.sum(column).alias(column) for column in (*sums, "rounds")),
            _why().alias("why"),
        )
        .orderBy(*keys, *best_first())
    )


def _uneven() -> Column:
    """Uneven groups (docs/advice.md), by what each of them is judged by."""
    by_count, by_weight = (LEVELS[by]["info"].ratio for by in ("count", "weight"))
    best = F.col("max_load") - F.col("excess")
    is_uneven = (F.col("excess") > 0) & (F.col("max_load") >= best * F.lit(by_count))
    is_heavy = F.col("max_weight") >= F.col("weight_bound") * F.lit(by_weight)
    return F.sum(F.when(F.col("weight_bound").isNull(), is_uneven).otherwise(is_heavy).cast("long"))


def best_first() -> list[Column]:
    """The order of the rows of `fleet_of`."""
    return [
        *(F.col("kind").desc(), F.round("mean_over_bound", 3).asc_nulls_last()),
        F.col("unbalanced") + F.col("not_evaluated"),
        *(F.col(name).asc() for name in ("excess", "moves", "strategy")),
    ]


def _why() -> Column:
    """Null if there is nothing to explain."""
    counts = (F.count_if(F.col("status") == status).alias(status) for status in UNPLANNED)
    failure = F.struct(*GROUP_KEYS, "reason")
    first = F.min(F.when(F.col("status") == "failed", failure))
    return F.udf(_why_of, "string", useArrow=False)(F.struct(*counts), first)


def _why_of(counts: Row, first: Row | None) -> str | None:
    """How many groups have no answer by their status, and why the first failed."""
    counted = ", ".join(f"{count:,} {status}" for status, count in counts.asDict().items() if count)
    if not first:
        return counted or None
    group, cluster = shortened(first.group), shortened(first.cluster)
    return f"{counted}; the first that failed is {group} of {cluster}: {first.reason}"
