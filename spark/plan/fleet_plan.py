"""Plan a fleet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, Row

from optimizer.model import Goals
from optimizer.strategies import OPTIMAL, strategy_named
from spark.charts import CHARTS, balance_of
from spark.errors import InputError
from spark.explain import GroupExplanation, explain_group
from spark.fleet import (
    CLUSTERS,
    PART,
    PLAN,
    PLAN_WEIGHTS,
    RESULTS,
    UNEVEN,
    WHOLE,
    FleetSnapshot,
    Part,
    check_out,
    snapshot_id,
    worst_first,
)
from spark.groups import encode, weight_tables
from spark.notebook import FIRST, shown_in_notebook
from spark.plan.summary import by_status, sentence_of, summarize
from spark.settings import DEFAULT_FLEET_GOALS, STRATEGY_SECONDS, FleetGoals, as_fleet_goals
from spark.solve import (
    ADVICE_COLUMNS,
    LevelsOf,
    advice_in_words,
    default_levels,
    idle_limits_of,
    plan_assignments,
    plan_groups,
    solve_groups,
)
from spark.store import Where, write_tables
from spark.unpersist_handle import Handle

ROWS_PER_FILE = 500_000

TRAFFIC = "traffic"
"""The table of what groups read across racks."""


INSTANTS = "cluster string, instant string"
PARTS = "cluster string, `group` string, teams array<struct<name: string, groups: array<string>>>"


class Made(NamedTuple):
    """Inputs of a plan."""

    fleet: FleetSnapshot
    strategy: str
    goals: FleetGoals
    rates: DataFrame | None
    advice: bool
    levels: LevelsOf


@dataclass(frozen=True)
class FleetPlan(Handle):
    """A plan of every group of a snapshot: the tables `assignments` and `groups`.

    Both come from the same solved rows, which are kept from their first use until `release`;
    as a context manager the plan releases itself. `instants` and `part` are those of the snapshot,
    and `made_of` is what explains a group.
    """

    snapshot: str
    solved: DataFrame
    instants: Mapping[str, str] = field(default_factory=dict)
    part: Part = WHOLE
    made_of: Made | None = field(default=None, repr=False)

    @property
    def assignments(self) -> DataFrame:
        """cluster, group, topic, partition, member_id?, previous_member_id?, action."""
        return plan_assignments(self.solved)

    @property
    def groups(self) -> DataFrame:
        """One row a group: status, reason, measures."""
        return plan_groups(self.solved, self.made_of is None or self.made_of.advice)

    def write(
        self, out: Where, traffic: DataFrame | None = None, rates: DataFrame | None = None
    ) -> None:
        """Write both tables to `out`, by snapshot, as one step; to a catalog as one step each.

        A fleet that was composed of several snapshots has a third, `clusters` (cluster, instant):
        the ids of those snapshots, from which `verify` reads it again; a plan of part of a fleet
        has `part` (cluster, group) for the same end. `traffic` is a table of that
        name (see `cross_rack_traffic`) that comes with them, and `rates`, which the plan was made
        with, are its table `weights`, so that `verify` has them. A plan of that snapshot which is
        there stays as it is until all are written, and then goes.

        How rows are laid out in the files of a folder depends on the plan alone. InputError when
        `out` is a store or can't be written, or the id can't be the name of a folder; RunError when
        another run was faster.
        """
        session = self.solved.sparkSession
        snapshot = snapshot_id(self.snapshot)
        check_out(session, out, PLAN)
        files = 1 + sum(row.partitions for row in self._by_status) // ROWS_PER_FILE
        tables = {
            "assignments": plan_assignments(_laid_out(self.solved, files)),
            "groups": _laid_out(self.groups, 1),
        }
        if set(self.instants.values()) - {self.snapshot}:
            instants = session.createDataFrame([*self.instants.items()], INSTANTS)
            tables[CLUSTERS] = instants.coalesce(1).sortWithinPartitions("cluster")
        if self.part:
            tables[PART] = session.createDataFrame([tuple(self.part)], PARTS).coalesce(1)
        if traffic is not None:
            tables[TRAFFIC] = _laid_out(traffic, 1)
        if rates is not None:
            tables[PLAN_WEIGHTS] = _laid_out(rates, 1, ("cluster", "topic", "partition"))
        write_tables(session, out, snapshot, tables, RESULTS[PLAN])

    def summary(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Groups by status, and the fleet now and planned: see `spark.plan.summary`."""
        return summarize(self._by_status)

    def sentence(self) -> str:
        """The plan in a sentence: what is put right, what moves for it, what can't be helped."""
        return sentence_of(self._by_status)

    def advice(self) -> list[str]:
        """Groups by what they are advised, and those that can follow a plan."""
        return advice_in_words(self._by_status)

    def idle_limits(self) -> list[str]:
        """The limits of the goals, in words, that no member or partition of any group fits."""
        return idle_limits_of(self.solved, self.made_of.goals) if self.made_of else []

    def worst(self, groups: int | None = FIRST) -> list[dict[str, Any]]:
        """The uneven groups, the worst first (`spark.fleet.worst_first`).

        All of them where `groups` is None. A row has `cluster`, `group`, `moves`, loads (by weight
        null where it is judged by count), and the columns of advice.
        """
        rows = self.solved.where(UNEVEN).orderBy(*worst_first())
        loads = ("current_max_load", "max_load", "current_max_weight", "max_weight")
        rows = rows.select("cluster", "group", "moves", *loads, *ADVICE_COLUMNS)
        rows = rows if groups is None else rows.limit(groups)
        return [row.asDict() for row in rows.collect()]

    def explain(self, cluster: str, group: str) -> GroupExplanation:
        """Why each partition of a group moves, and why its loads can't be more even.

        InputError when there is no such group, and for a plan that isn't `optimal`'s: other
        strategies have no reasons.
        """
        if self.made_of is None or self.made_of.strategy != OPTIMAL:
            raise InputError(f"only a plan that {OPTIMAL} has just made tells its reasons")
        made = self.made_of
        return explain_group(made.fleet, group, cluster, made.goals, made.rates, made.levels)

    def chart(self) -> Any:
        """How even groups are now and planned; InputError where Altair isn't installed."""
        return CHARTS["balance"].chart(balance_of(self.solved))

    def _repr_html_(self) -> str:
        columns = "cluster", "group", "now_to_best", "moves", "severity", "advice"
        return shown_in_notebook([self.sentence()], columns, self.worst())

    @cached_property
    def _by_status(self) -> list[Row]:
        """By the one job that solves the groups."""
        return by_status(self.solved)

    def release(self) -> None:
        """Free what is kept."""
        self.solved.unpersist()


def _laid_out(rows: DataFrame, files: int, keys: Sequence[str] = ("cluster", "group")) -> DataFrame:
    return rows.repartition(files, *keys).sortWithinPartitions(*keys)


def plan_fleet(
    snapshot: FleetSnapshot,
    strategy: str = OPTIMAL,
    goals: FleetGoals | Goals = DEFAULT_FLEET_GOALS,
    strategy_seconds: float = STRATEGY_SECONDS,
    rates: DataFrame | None = None,
    advice: bool = True,
    levels: LevelsOf = default_levels,
) -> FleetPlan:
    """Plan each group by `strategy`; ValueError for an unknown one, InputError for null keys.

    `goals` are those of `optimal`, for all groups or by group; the other strategies have their own.
    `rates` (cluster, topic, partition, weight) are what partitions weigh where goals ask for rates.
    With `advice`, rows of `groups` say what to do (`optimizer.advice`), by the `levels` of each
    group; without it they lack these columns, and Kafka's strategies aren't asked.

    A group that can't be planned, or not within `strategy_seconds` of processor time, or that ends
    its worker (see `spark.groups.workers`), has a row with its status and the reason; it doesn't
    stop the others.
    """
    goals = as_fleet_goals(goals)
    racks = strategy_named(strategy).rack_aware or goals.need_racks
    weights = weight_tables(snapshot, goals.sources, rates)
    encoded = encode(snapshot.validate(), racks, weights=weights)
    solved = solve_groups(encoded, strategy, goals, strategy_seconds, levels if advice else None)
    made_of = Made(snapshot, strategy, goals, rates, advice, levels)
    return FleetPlan(snapshot.id, solved.persist(), snapshot.instants, snapshot.part, made_of)
