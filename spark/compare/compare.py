"""Compare strategies over a fleet, and write that beside other comparisons."""

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, Row, functions as F

from optimizer.advice import LEVELS
from optimizer.model import Goals
from spark.compare.measure import ADVISED, ComparedRow, measure_groups
from spark.fleet import UNEVEN, UNPLANNED, FleetSnapshot, as_rows, worst_first
from spark.groups import GROUP_KEYS, columns_of, encode, weight_tables
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    STRATEGY_SECONDS,
    FleetGoals,
    Settings,
    as_fleet_goals,
    check_strategies,
)
from spark.solve import LevelsOf, advice_counts, advice_in_words, idle_limits_of
from spark.store import CatalogSchema, Where, in_one_file, write_tables
from spark.text import shorten
from spark.trial import need_racks, over_bound


def compare_fleet(
    snapshot: FleetSnapshot,
    strategies: Sequence[str] = (),
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals | Goals = DEFAULT_FLEET_GOALS,
    rates: DataFrame | None = None,
) -> DataFrame:
    """Compare strategies: one row a (cluster, group, strategy).

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
            _count_of_uneven().alias("uneven"),
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


def _count_of_uneven() -> Column:
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
    """Groups without an answer by their status, and why the first failed."""
    counted = ", ".join(f"{count:,} {status}" for status, count in counts.asDict().items() if count)
    if not first:
        return counted or None
    group, cluster = shorten(first.group), shorten(first.cluster)
    return f"{counted}; the first that failed is {group} of {cluster}: {first.reason}"


SHOWN = ("cluster", "group", "now_to_best", "after_to_best", "severity")
"""Columns of an uneven group that people read, beside its advice."""

ADVICE = ("advice_kind", "advice", "advice_strategy", "advice_moves", "can_follow")


def uneven_first(groups: DataFrame, most: int) -> list[dict[str, Any]]:
    """The uneven groups, the worst first."""
    worst = groups.where(UNEVEN).orderBy(*worst_first()).limit(most)
    return as_rows(worst.select(*SHOWN, "judged_by", *ADVICE))


def uneven_row(row: dict[str, Any]) -> dict[str, Any]:
    """One of them as people read it: an assignor to set, or what else is advised."""
    advice = row["advice_strategy"] or row["advice_kind"]
    shown = {name: row[name] for name in ("snapshot", *SHOWN) if name in row}
    return shown | {"advice": advice, "moves": row["advice_moves"]}


def advice_of(groups: DataFrame) -> list[str]:
    """Groups by what they are advised, and those that can follow a plan."""
    sums = (column.alias(name) for name, column in advice_counts().items())
    return advice_in_words(groups.agg(*sums).collect())


KEYS = ("cluster", "group", "strategy")

MAX_GROUPS = 10_000
"""Uneven groups that are told, the worst ones."""

Rows = list[dict[str, Any]]


def groups_table(out: Where | None) -> str:
    """The table of groups: a schema of a catalog may hold an audit and its groups as well."""
    return "comparison_groups" if isinstance(out, CatalogSchema) else "groups"


def write_comparison(
    fleet: FleetSnapshot,
    settings: Settings,
    rates: DataFrame | None,
    out: Where | None,
    levels: LevelsOf,
    check_limits: Callable[[Sequence[str]], None],
) -> tuple[Rows, Rows, list[str]]:
    """Compare the strategies of the settings and write the tables.

    Returns the rows of the fleet's, the uneven groups with what is advised to them, and that in
    sentences. `check_limits` may object to the limits that no member or partition fits.
    """
    names, goals = check_strategies(settings.strategies), settings.goals
    encoded = encoded_for(fleet, names, goals, rates)
    measured = measure_groups(
        encoded, names, settings.strategy_seconds, goals, levels=levels
    ).persist()
    try:
        groups = measured.where("strategy is null")
        check_limits(idle_limits_of(groups, goals))
        groups = groups.select(*ADVISED)
        comparison = measured.where("strategy is not null").select(*columns_of(ComparedRow))
        table = fleet_of(comparison)
        written = {
            "comparison": in_one_file(comparison, *KEYS),
            "fleet": table.coalesce(1),
            groups_table(out): in_one_file(groups, "cluster", "group"),
        }
        rows = as_rows(table)
        if out:
            write_tables(comparison.sparkSession, out, fleet.id, written)
        return rows, uneven_first(groups, MAX_GROUPS), advice_of(groups)
    finally:
        measured.unpersist()
