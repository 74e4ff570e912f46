"""Measure encoded groups under several strategies, inside workers."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import DataFrame

from optimizer.checker import Verdict, check_assignment
from optimizer.model import (
    BY_COUNT,
    NOBODY,
    Answer,
    IntArray,
    Measures,
    Problem,
    TimeLimitError,
    at_once,
    classes_of,
    host_level,
    measure,
    rack_table_of,
    worst_topic_share,
)
from optimizer.strategies import OPTIMAL, strategy_named
from spark.groups import FleetGroup, Int, Long, Real, Text, Texts, in_workers
from spark.settings import CURRENT, DEFAULT_FLEET_GOALS, STRATEGY_SECONDS, FleetGoals, kind_of
from spark.solve import (
    ADVICE_COLUMNS,
    AdvisedRow,
    GroupRow,
    LevelsOf,
    Planned,
    TimeLimit,
    max_weight,
    plan_columns,
    planned_groups,
)
from spark.trial import OutcomeOf, Trial, rows_by_strategy


@dataclass(slots=True, kw_only=True)
class ComparedRow(GroupRow):
    """A group's row under one strategy, and the price of getting there; what isn't known is null.

    The price is that of a rebalance from the current assignment to the strategy's, for partitions
    whose owner is present and still subscribed. `current` is there already: it costs nothing.
    """

    excess: Long = None
    """Partitions by which the most loaded member is above the most loaded one of the optimum."""
    spread: Long = None
    """Σ over topics and members of (partitions that the member has of the topic)²."""
    worst_topic_share: Real = None
    """The most partitions of a topic that a member has, over its fair share (the topic's partitions
    over its readers, rounded up), of the worst topic; 1 is as good as possible."""
    local_reads: Long = None
    """Partitions read within a rack, in the meaning of the group's goals; null without racks."""
    remote_reads: Long = None
    """Partitions read across racks."""
    transferring: Long = None
    """Partitions that the first round of `cooperative-sticky` leaves out because they change hands
    (partitionsTransferringOwnership), or tasks that `connect-cooperative`'s revokes; else 0."""
    stopped_eager: Long = None
    """Partitions that stop under the eager protocol: all of them."""
    stopped_cooperative: Long = None
    """Partitions that stop under the cooperative protocol, or the coordinator's: their owner loses
    them."""
    rounds: Int = None
    """Rebalances under the cooperative protocol: 2 if a partition changes hands, else 1."""
    kind: Text = None
    """`connect` for a group of Connect workers, else `consumer`."""
    max_weight: Real = None
    """The largest load by weight for a unit of capacity; null unless goals are by weight."""
    weight_bound: Real = None
    """The bound that no assignment's largest load by weight is below."""
    max_host_load: Long = None
    """The most that a host's members have together; null where no two members share a host, or all
    share the same."""
    host_excess: Long = None
    """Partitions by which that is above the optimum's, of the group's goals if they name hosts."""


@dataclass(slots=True, kw_only=True)
class ComparedGroup(AdvisedRow, ComparedRow):
    """A row of a comparison, or without a strategy what its group is advised to do."""

    limits: Texts = ()


ADVISED = ("cluster", "group", "status", "partitions", "unread", *ADVICE_COLUMNS)
"""The columns of a comparison's table `groups`."""


BELOW_BALANCE = ("moves",)
"""Levels below balance that a comparison looks at."""

STAYS = dict.fromkeys(("transferring", "stopped_eager", "stopped_cooperative", "rounds"), 0)
"""Costs of leaving a group as it is."""


def measure_groups(
    encoded: DataFrame,
    strategies: Sequence[str],
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    levels: LevelsOf | None = None,
) -> DataFrame:
    """Measure every group under each of the strategies: a `ComparedRow` for both.

    With `levels` they are `ComparedGroup`s, and a group has one more, without a strategy: what it
    is advised to do.

    A group has no row for strategies that aren't for its kind. Where a strategy needs more than
    `strategy_seconds` for a group, that row is `failed`. `goals` are those of `optimal`.
    """
    for name in strategies:
        if name != CURRENT:
            strategy_named(name)
    row_type, of_group = ComparedGroup if levels else ComparedRow, (*ADVISED, "limits")

    def rows_of(groups: list[Any]) -> list[ComparedRow]:
        rows: list[ComparedRow] = []
        with TimeLimit(strategy_seconds) as limit:
            for planned in planned_groups(groups, OPTIMAL, goals, strategy_seconds, levels):
                if levels:
                    advised = {name: getattr(planned.solved, name) for name in of_group}
                    rows.append(ComparedGroup(strategy=None, reason=None, members=None, **advised))
                rows += rows_of_group(planned, strategies, limit, row_type)
        return rows

    return in_workers(encoded, row_type, rows_of)


def rows_of_group(
    planned: Planned,
    strategies: Sequence[str],
    limit: TimeLimit,
    row_type: type[ComparedRow] = ComparedRow,
) -> Iterator[ComparedRow]:
    """The row of a group under a strategy; a failure becomes a row, and doesn't stop others."""
    row, read = planned.row, planned.group

    def row_of(group: FleetGroup, strategy: str, **outcome: Any) -> ComparedRow:
        return row_type(**plan_columns(row, group, strategy), kind=kind_of(row.type), **outcome)

    def outcomes(problem: Problem) -> OutcomeOf:
        return _Measured(problem, limit, planned).outcome

    return rows_by_strategy(row, strategies, planned.goals, outcomes, row_of, read=read)


class _Proof(NamedTuple):
    """The worth of an assignment; None where it isn't known, or isn't an assignment."""

    balance_optimal: bool | None
    moves_optimal: bool | None


class _Measured(Trial):
    """One group under any strategy, measured and proven."""

    def __init__(self, problem: Problem, limit: TimeLimit, planned: Planned) -> None:
        super().__init__(problem, limit, planned.goals)
        self._solved = planned.solved
        self._racks = rack_table_of(problem, self.goals.rack)
        self._takes_too_long: TimeLimitError | None = None
        if isinstance(planned.answer, Exception):
            self._answers[OPTIMAL] = planned.answer
        else:
            answer = planned.answer or at_once(planned.target(self.problem))
            self._answers[OPTIMAL] = answer, self._solved.seconds

    @cached_property
    def weight_bound(self) -> float | None:
        bound: float | None = self._solved.weight_bound
        return bound

    def outcome(self, strategy: str) -> dict[str, Any]:
        """The columns of a `ComparedRow` from `partitions` on; raises what the strategy raises."""
        problem = self.problem
        answer, seconds = self.answer(strategy)
        target = answer.target
        measures = measure(problem, target)
        excess = host_excess = None
        if self._optimum is not None:
            excess = max(0, measures.max_load - self._optimum.max_load)
        if measures.max_host_load is not None and self._least_on_host is not None:
            host_excess = max(0, measures.max_host_load - self._least_on_host)
        is_by_weight = self.goals.by_weight
        proof = self._proof_by_weight(target) if is_by_weight else self._proof(target, measures)
        local, remote = self._racks.reads(target) if self._racks else (None, None)
        is_read = classes_of(problem).of_partition >= 0
        unread = int(np.count_nonzero(is_read & (target == NOBODY)))
        if unread:
            proof = _Proof(False, None)
        return {
            **measures._asdict(),
            **proof._asdict(),
            "seconds": seconds,
            "unread": unread,
            "excess": excess,
            "host_excess": host_excess,
            "worst_topic_share": worst_topic_share(problem, target),
            "local_reads": local,
            "remote_reads": remote,
            "max_weight": max_weight(problem, target) if is_by_weight else None,
            "weight_bound": self.weight_bound,
            **(STAYS if strategy == CURRENT else _costs(problem, answer, measures.moves)),
        }

    def _proof_by_weight(self, target: IntArray) -> _Proof:
        """Whether the largest load by weight is within the tolerance of the bound.

        It isn't known to be too high unless the plan of `optimal` is lower.
        """
        largest, bound = max_weight(self.problem, target), self.weight_bound
        if largest is None or bound is None or not _is_assignment(self.problem, target):
            return _Proof(None, None)
        most = 1 + self.goals.tolerance
        best = max_weight(self.problem, self.target(OPTIMAL))
        is_worse = best is not None and largest > best * most
        return _Proof(True if largest <= bound * most else False if is_worse else None, None)

    @cached_property
    def _optimum(self) -> Measures | None:
        """The optimum's by default goals, if it was found and is proven by the check."""
        try:
            if self.goals == BY_COUNT:
                is_optimal = self._solved.moves_optimal
                return measure(self.problem, self.target(OPTIMAL)) if is_optimal else None
            optimal = strategy_named(OPTIMAL)
            answer = self.limit.spend(lambda: optimal.assign(self.problem, BY_COUNT))
            verdict = self._verdict(answer.target)
        except Exception:
            return None
        return verdict.measures if verdict.moves_optimal else None

    @cached_property
    def _least_on_host(self) -> int | None:
        """The most of a host in the optimum, and in that of goals which ask for even hosts."""
        best = [self._optimum] if self._optimum else []
        if host_level(self.goals.levels) or self.goals.max_per_host:
            with suppress(Exception):
                best.append(measure(self.problem, self.target(OPTIMAL)))
        return min((measures.max_host_load or 0 for measures in best), default=None)

    def _verdict(self, target: IntArray) -> Verdict:
        """The check, in a strategy's time; after one TimeLimitError it is raised at once."""
        if self._takes_too_long:
            raise self._takes_too_long
        try:
            return self.limit.spend(
                lambda: check_assignment(self.problem, target, goals=BY_COUNT, levels=BELOW_BALANCE)
            )
        except TimeLimitError as error:
            self._takes_too_long = error
            raise

    def _proof(self, target: IntArray, measures: Measures) -> _Proof:
        """Whether balance and moves are optimal: as the optimum's, or by the check without one."""
        if self._optimum is None:
            try:
                verdict = self._verdict(target)
            except TimeLimitError:
                return _Proof(None, None)
            if verdict.faults:
                return _Proof(None, None)
            return _Proof(verdict.balance_optimal, verdict.moves_optimal)
        if not _is_assignment(self.problem, target):
            return _Proof(None, None)
        if measures.sum_squares > self._optimum.sum_squares:
            return _Proof(False, None)
        return _Proof(True, measures.moves == self._optimum.moves)


def _is_assignment(problem: Problem, target: IntArray) -> bool:
    """Whether each partition that is read goes to one of its readers, and no other to anybody."""
    assigned = target != NOBODY
    classes, members = classes_of(problem), len(problem.member_ids)
    if not np.array_equal(assigned, classes.of_partition >= 0):
        return False
    if len(classes.keys) == len(classes) * members:  # everybody reads everything
        return True
    pair = (classes.of_partition * members + target)[assigned]
    at = classes.keys.searchsorted(pair)
    return bool((classes.keys.take(at, mode="clip") == pair).all())


def _costs(problem: Problem, answer: Answer, moves: int) -> dict[str, int]:
    """The columns of a `ComparedRow` from `transferring` on."""
    transferring = 0
    if answer.first_round is not answer.target:
        transferring = int(np.count_nonzero(answer.first_round != answer.target))
    keepable = classes_of(problem).keepable
    lost = keepable & (answer.target != problem.owner)
    return {
        "transferring": transferring,
        "stopped_eager": int(np.count_nonzero(keepable)),
        "stopped_cooperative": int(np.count_nonzero(lost)),
        "rounds": 2 if moves or transferring else 1,
    }
