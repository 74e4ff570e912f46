"""Replay a fleet's history."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window, functions as F

from optimizer.model import Goals
from spark.groups import GROUP_KEYS
from spark.history import FleetHistory, encode_changes
from spark.replay.steps import Replay, steps_of
from spark.replay.text import sentence_of
from spark.settings import (
    CURRENT,
    DEFAULT_FLEET_GOALS,
    STRATEGY_SECONDS,
    FleetGoals,
    as_fleet_goals,
    check_strategies,
)
from spark.trial import best_first, need_racks, over_bound
from spark.unpersist_handle import Handle


@dataclass(frozen=True)
class FleetReplay(Handle):
    """A fleet's history under each strategy.

    `steps` has a row (cluster, group, strategy, snapshot) for each change of a group's facts: see
    `spark.replay.steps`; `groups` a row (cluster, group, strategy): see `groups_of`. Both are
    worked out by one job and kept from their first use until `release`; as a context manager the
    replay releases itself.
    """

    steps: DataFrame
    groups: DataFrame

    @property
    def league(self) -> DataFrame:
        """A row (kind, strategy), the best first: see `league_of`."""
        return league_of(self.groups)

    def release(self) -> None:
        """Free what is kept."""
        self.groups.unpersist()
        self.steps.unpersist()


def replay_fleet(
    history: FleetHistory,
    strategies: Sequence[str] = (),
    goals: FleetGoals | Goals = DEFAULT_FLEET_GOALS,
    strategy_seconds: float = STRATEGY_SECONDS,
    rates: DataFrame | None = None,
) -> FleetReplay:
    """Replay a fleet's members, subscriptions and partitions under each strategy.

    `current`, the current assignment, is one of the strategies, and without any named all are
    replayed; groups of Connect workers have those of Connect. `goals` are those of `optimal`, and
    reads are counted in their meaning for all. InputError (a ValueError) for an unknown strategy.

    Goals by weight go by what partitions weighed when the group's facts changed; `rates` are as
    `plan_fleet` takes them, and the same all the time.

    * A group is assigned again when members, subscriptions or the partitions of topics changed:
      a snapshot shows nothing else that makes Kafka rebalance. A member that is back under its
      instance id is the same one (KIP-345).
    * A strategy with a memory (the sticky ones, uniform, Connect's cooperative one, optimal) starts
      from its own answer before: members keep it by instance id or else member id, partitions that
      are no more are dropped. For strategies of several rounds that is what the last one leads to.
    * At the first snapshot of a cluster each strategy starts from the current assignment; what it
      changes of that is counted apart. A group that wasn't there in the snapshot before, or had no
      members, starts with nothing owned.
    * A snapshot in which a group can't be judged (it was rebalancing, invalid, no consumers') is
      passed over: its time isn't counted, and what was owned before it is what is owned after.
    * Where a strategy has no answer, by an error of Kafka's own code or since it takes more than
      `strategy_seconds` of processor time, the group keeps what it had, and the time until the next
      change isn't counted.
    """
    names = check_strategies(strategies)
    fleet_goals = as_fleet_goals(goals)
    racks = need_racks(names, fleet_goals)
    group_spans, weights = history.group_spans(racks), fleet_goals.sources
    encoded = encode_changes(history.tables, group_spans, racks, weights, rates)
    replay = Replay(history.timeline, names, fleet_goals, strategy_seconds)
    steps = steps_of(encoded, replay).persist()
    return FleetReplay(steps, groups_of(steps).persist())


SUMMED = (
    *("known_hours", "unknown_hours", "excess_hours", "changes", "not_evaluated"),
    *("moves", "takeovers", "stopped", "first_moves", "local_read_hours", "remote_read_hours"),
)
"""Columns of the table of groups whose sums are those of the league."""

WORTH = (
    *("not_evaluated", "round(mean_over_bound, 3)", "round(excess_hours, 4)"),
    *("coalesce(stopped, moves)", "moves"),
)
"""Order of strategies, the best first, SQL text: the first that differs decides.

Strategies that differ in none are equally good. Sums of hours are rounded: they depend on the order
in which Spark adds them up.
"""

TIES = ("first_moves", f"if(strategy = '{CURRENT}', 0, 1)", "strategy")
"""Order of equally good strategies: the cheapest to change to is first."""

COUNTED = ("best_or_equal", "alone")
"""How a strategy compares in a group; the league counts groups to which anything happened."""

SAVED = ("excess_hours", "moves", "stopped")
"""Columns of what a strategy may have saved over the current one."""

COMPARED = (*SAVED, "mean_over_bound")
"""Columns of the current strategy that stand beside the best."""


def groups_of(steps: DataFrame) -> DataFrame:
    """A row (cluster, group, strategy).

    * `kind`: `connect` for a group of Connect workers, else `consumer`.
    * `known_hours`: for how long the strategy's answers are known to have held; `unknown_hours`:
      for how long it had none, or the group couldn't be judged.
    * `changes`: how often the group had to be assigned again, without its first time;
      `not_evaluated`: how often the strategy had no answer then. `why` is the last reason.
    * `excess_hours`: partitions by which the most loaded member was above the most loaded one of
      the optimum, times hours. `worst_max_load`: the most that a member ever had.
    * `moves`, `takeovers`, `stopped`: sums over the changes; `first_moves` are those that lead from
      the current assignment to the strategy's own. `stopped` is null where the group's own
      protocol isn't known.
    * `local_read_hours`, `remote_read_hours`: partitions read within a rack and across racks, times
      hours; null where goals or facts have no racks.
    * `mean_over_bound`, `worst_over_bound`: how far the most loaded member by weight was above what
      no assignment is below, 1 being as low as possible: in the mean of time, and at worst; null
      without goals by weight.
    * `best_or_equal`: no strategy of the group is better, by the fewest changes without an answer,
      the least `mean_over_bound` (to a thousandth), the least excess, then the fewest partitions
      stopped, then moves; `alone`: no other is as good. `is_unchanged`: nothing happened to the
      group that any strategy had to answer to.
    * `is_best`: of these it has the fewest `first_moves`, `current` before all others.
      For each of `SAVED` a column says what a strategy would have saved over `current`; the
      `sentence` of the best one says so.
    """
    answered = F.col("max_load").isNotNull()
    after_first = answered & F.col("rebalanced") & ~F.col("first")
    has_protocol = F.bool_and(F.col("stopped").isNotNull() | ~after_first)
    over = over_bound()
    bounded_seconds = F.when(over.isNotNull(), F.col("seconds"))
    mean_over_bound = F.try_divide(F.sum(over * bounded_seconds), F.sum(bounded_seconds))
    hours = F.sum(F.when(answered, F.col("seconds")).otherwise(0)) / 3600
    rows = steps.groupBy(*GROUP_KEYS, "strategy").agg(
        F.max_by("kind", "start").alias("kind"),
        hours.alias("known_hours"),
        (F.sum("seconds") / 3600 - hours).alias("unknown_hours"),
        F.count_if(F.col("rebalanced") & ~F.col("first")).alias("changes"),
        F.count_if(F.col("rebalanced") & ~answered).alias("not_evaluated"),
        F.max_by("reason", F.when(~answered, F.col("start"))).alias("why"),
        _hours("excess").alias("excess_hours"),
        F.max("max_load").alias("worst_max_load"),
        _sum_of("moves", after_first).alias("moves"),
        _sum_of("takeovers", after_first).alias("takeovers"),
        F.when(has_protocol, _sum_of("stopped", after_first)).alias("stopped"),
        _sum_of("moves", F.col("first")).alias("first_moves"),
        _hours("local_reads").alias("local_read_hours"),
        _hours("remote_reads").alias("remote_read_hours"),
        F.coalesce(mean_over_bound, F.avg(over)).alias("mean_over_bound"),
        F.max(over).alias("worst_over_bound"),
    )
    return _with_best(rows)


def _sum_of(what: str, where: Column) -> Column:
    """The sum of those; null only where the strategy never had an answer."""
    return F.sum(F.when(F.col("max_load").isNotNull(), F.when(where, F.col(what)).otherwise(0)))


def _hours(what: str) -> Column:
    return F.sum(F.col(what) * F.col("seconds")) / 3600


def _with_best(rows: DataFrame) -> DataFrame:
    """The best strategy of each group, and what it saves."""
    of_group = Window.partitionBy(*GROUP_KEYS)
    place = F.row_number().over(of_group.orderBy(*best_first(*WORTH, *TIES)))
    rank = F.rank().over(of_group.orderBy(*best_first(*WORTH)))
    is_judged = F.col("worst_max_load").isNotNull()
    best = F.when(F.col("best_or_equal"), F.col("strategy"))
    currents = {
        f"current_{column}": F.max(F.when(F.col("strategy") == CURRENT, F.col(column))).over(
            of_group
        )
        for column in COMPARED
    }
    saved = {f"saved_{column}": F.col(f"current_{column}") - F.col(column) for column in SAVED}
    ranked = rows.withColumns(
        {
            "is_unchanged": F.max("changes").over(of_group) == 0,
            "best_or_equal": (rank == 1) & is_judged,
            "is_best": (place == 1) & is_judged,
            **currents,
        }
    ).withColumn("equals", F.sort_array(F.collect_list(best).over(of_group)))
    ranked = ranked.withColumn("alone", F.col("best_or_equal") & (F.size("equals") == 1))
    about = (*GROUP_KEYS, "strategy", "is_best", "equals", *COMPARED, *currents)
    sentence = F.udf(sentence_of, "string", useArrow=False)(F.struct(*about))
    return ranked.withColumns({**saved, "sentence": sentence}).drop("equals", *currents)


def league_of(groups: DataFrame) -> DataFrame:
    """A row (kind, strategy), the best first: sums over all groups of that kind.

    `groups` are those that the strategy has answers for, and `unchanged` those of them in which
    nothing happened. Of the others, `best_or_equal` counts those in which no strategy is better,
    and `alone` those in which none is as good. `best_for` counts where it `is_best`,
    `stopped_groups` the groups whose `stopped` is known and in that sum. The other columns are
    those of `groups_of`, `worst_max_load` and `worst_over_bound` the highest of all groups,
    `mean_over_bound` their mean.
    """
    is_answered = F.col("worst_max_load").isNotNull()
    league = groups.groupBy("kind", "strategy").agg(
        F.count_if(is_answered).alias("groups"),
        F.count_if("is_best").alias("best_for"),
        F.count_if(is_answered & F.col("is_unchanged")).alias("unchanged"),
        *(F.count_if(F.expr(f"{column} and not is_unchanged")).alias(column) for column in COUNTED),
        F.count("stopped").alias("stopped_groups"),
        F.max("worst_max_load").alias("worst_max_load"),
        F.avg("mean_over_bound").alias("mean_over_bound"),
        F.max("worst_over_bound").alias("worst_over_bound"),
        *(F.sum(column).alias(column) for column in SUMMED),
    )
    return league.orderBy(F.col("kind").desc(), *best_first(*WORTH, *TIES))
