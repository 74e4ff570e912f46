"""Replay a fleet's history."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from optimizer.model import Goals
from spark.history import FleetHistory, encode_changes
from spark.replay.steps import Replay, steps_of
from spark.replay.tables import groups_of, league_of
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    STRATEGY_SECONDS,
    FleetGoals,
    as_fleet_goals,
    check_strategies,
)
from spark.trial import need_racks
from spark.unpersist_handle import Handle


@dataclass(frozen=True)
class FleetReplay(Handle):
    """What each strategy would have made of a fleet's history.

    `steps` has a row (cluster, group, strategy, snapshot) for each change of a group's facts: see
    `spark.replay.steps`; `groups` a row (cluster, group, strategy): see
    `spark.replay.tables.groups_of`. Both are worked out by one job and kept from their first use
    until `release`; as a context manager the replay releases itself.
    """

    steps: DataFrame
    groups: DataFrame

    @property
    def league(self) -> DataFrame:
        """A row (kind, strategy), the best first: see `spark.replay.tables.league_of`."""
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
    """What would have come of the same members, subscriptions and partitions under each strategy.

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
    group_spans, weights = history.group_spans(racks), fleet_goals.weights
    encoded = encode_changes(history.tables, group_spans, racks, weights, rates)
    replay = Replay(history.timeline, names, fleet_goals, strategy_seconds)
    steps = steps_of(encoded, replay).persist()
    return FleetReplay(steps, groups_of(steps).persist())
