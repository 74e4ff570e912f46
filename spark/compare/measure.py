"""Measure encoded groups under several strategies, inside workers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from optimizer.checker import Verdict, check_assignment
from optimizer.model import (
    DEFAULT_GOALS,
    NOBODY,
    Answer,
    Goals,
    IntArray,
    Measures,
    Problem,
    classes_of,
    measure,
    rack_table_of,
    settled,
    worst_topic_share,
)
from optimizer.strategies import OPTIMAL, strategy_named
from spark.compare.compared_row import ComparedRow
from spark.errors import TimeLimitError
from spark.groups import (
    Cells,
    EncodedRow,
    FleetGroup,
    failed,
    in_workers,
    read_or_failed,
    schema_of,
)
from spark.settings import (
    CURRENT,
    DEFAULT_FLEET_GOALS,
    STRATEGY_SECONDS,
    FleetGoals,
    for_kind,
    kind_of,
)
from spark.solve import TimeLimit, max_weight, plan_columns, shown_bound

Answered = tuple[Answer, float]
"""An answer, and how many seconds it took."""

BELOW_BALANCE = ("moves",)
"""What a comparison tells of the worth of an assignment beside its balance."""

STAYS = dict.fromkeys(("transferring", "stopped_eager", "stopped_cooperative", "rounds"), 0)
"""What it costs to leave a group as it is."""


def measure_groups(
    encoded: DataFrame,
    strategies: Sequence[str],
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    along: Sequence[str] = (),
) -> DataFrame:
    """Measure every group under each of the strategies: a `ComparedRow` for both.

    The columns `along` of the encoded rows go along.

    A group has no row for strategies that aren't for its kind. Where a strategy needs more than
    `strategy_seconds` for a group, that row is `failed`. `goals` are those of `optimal`.
    """
    for name in strategies:
        if name != CURRENT:
            strategy_named(name)
    schema = StructType([*schema_of(ComparedRow), *encoded.select(*along).schema])

    def cells_of(groups: list[Any]) -> list[Cells]:
        with TimeLimit(strategy_seconds) as limit:
            return [
                (*compared.cells(), *(getattr(row, name) for name in along))
                for row in groups
                for compared in rows_of_group(
                    row, strategies, limit, goals.of(row.cluster, row.group)
                )
            ]

    return in_workers(encoded, schema, cells_of)


def rows_of_group(
    row: EncodedRow, strategies: Sequence[str], limit: TimeLimit, goals: Goals = DEFAULT_GOALS
) -> Iterator[ComparedRow]:
    """Whatever a strategy makes of a group becomes a row, so that it doesn't stop the others."""
    group = read_or_failed(row, goals.weight_source)
    own = for_kind(strategies, _kind(row))
    if group.problem is None:
        for strategy in own:
            yield _row(row, group, strategy)
        return
    trial = _Trial(group.problem, limit, goals)
    for strategy in own:
        try:
            yield _row(row, group, strategy, **trial.outcome(strategy))
        except Exception as error:
            yield _row(row, failed(error), strategy)


def _row(row: EncodedRow, group: FleetGroup, strategy: str, **outcome: Any) -> ComparedRow:
    return ComparedRow(**plan_columns(row, group, strategy), kind=_kind(row), **outcome)


def _kind(row: EncodedRow) -> str:
    return kind_of(row.type)


class _Proof(NamedTuple):
    """What is known of an assignment's worth; None where it isn't known, or isn't an assignment."""

    balance_optimal: bool | None
    moves_optimal: bool | None


class _Trial:
    """One group under any strategy; each is asked once, even if it fails."""

    def __init__(self, problem: Problem, limit: TimeLimit, goals: Goals) -> None:
        self._problem = problem
        self._goals = goals
        self._racks = rack_table_of(problem, goals.rack)
        self._limit = limit
        self._answers: dict[str, Answered | Exception] = {}
        self._takes_too_long: TimeLimitError | None = None

    def outcome(self, strategy: str) -> dict[str, Any]:
        """The columns of a `ComparedRow` from `partitions` on; raises what the strategy raises."""
        problem = self._problem
        answer, seconds = self._answer(strategy)
        target = answer.target
        measures = measure(problem, target)
        excess = None
        if self._optimum is not None:
            excess = max(0, measures.max_load - self._optimum.max_load)
        is_by_weight = self._goals.by_weight
        proof = self._proof_by_weight(target) if is_by_weight else self._proof(target, measures)
        local, remote = self._racks.reads(target) if self._racks else (None, None)
        return {
            **measures._asdict(),
            **proof._asdict(),
            "seconds": seconds,
            "excess": excess,
            "worst_topic_share": worst_topic_share(problem, target),
            "local_reads": local,
            "remote_reads": remote,
            "max_weight": max_weight(problem, target),
            "weight_bound": self._weight_bound,
            **(STAYS if strategy == CURRENT else _costs(problem, answer, measures.moves)),
        }

    def _proof_by_weight(self, target: IntArray) -> _Proof:
        """Whether the largest load by weight is within the tolerance of the bound.

        It isn't known to be too high unless the plan of `optimal` is lower.
        """
        result, bound = max_weight(self._problem, target), self._weight_bound
        if result is None or bound is None or not _is_assignment(self._problem, target):
            return _Proof(None, None)
        most = 1 + self._goals.tolerance
        best = max_weight(self._problem, self._answer(OPTIMAL)[0].target)
        is_worse = best is not None and result > best * most
        return _Proof(True if result <= bound * most else False if is_worse else None, None)

    @cached_property
    def _weight_bound(self) -> float | None:
        """A load by weight below which no plan's largest is, as the check finds it shown."""
        if not self._goals.by_weight:
            return None
        try:
            answer = self._answer(OPTIMAL)[0]
            return self._limit.spend(lambda: shown_bound(self._problem, self._goals, answer))
        except Exception:
            return None

    def _answer(self, strategy: str) -> Answered:
        if strategy not in self._answers:
            try:
                self._answers[strategy] = self._ask(strategy)
            except Exception as error:
                self._answers[strategy] = error
        answered = self._answers[strategy]
        if isinstance(answered, Exception):
            raise answered
        return answered

    def _ask(self, strategy: str) -> Answered:
        problem = self._problem
        if strategy == CURRENT:
            return settled(classes_of(problem).kept), 0.0
        selection = strategy_named(strategy)
        if selection.target_of:  # worked out once for both (KIP-429)
            answer, seconds = self._answer(selection.target_of)
            return settled(answer.target), seconds
        started = time.perf_counter()
        answer = self._limit.spend(lambda: selection.assign(problem, self._goals))
        return answer, time.perf_counter() - started

    @cached_property
    def _optimum(self) -> Measures | None:
        """The optimum's by default goals, if it was found and is proven by the check."""
        try:
            if self._goals == DEFAULT_GOALS:
                target = self._answer(OPTIMAL)[0].target
            else:
                answer = self._limit.spend(lambda: strategy_named(OPTIMAL).assign(self._problem))
                target = answer.target
            verdict = self._judged(target)
        except Exception:
            return None
        return verdict.measures if verdict.moves_optimal else None

    def _judged(self, target: IntArray) -> Verdict:
        """What the check says, in the time of a strategy; raises TimeLimitError, then at once."""
        if self._takes_too_long:
            raise self._takes_too_long
        try:
            return self._limit.spend(
                lambda: check_assignment(self._problem, target, levels=BELOW_BALANCE)
            )
        except TimeLimitError as error:
            self._takes_too_long = error
            raise

    def _proof(self, target: IntArray, measures: Measures) -> _Proof:
        """By comparison with the optimum; where that isn't known, by the check."""
        if self._optimum is None:
            try:
                verdict = self._judged(target)
            except TimeLimitError:
                return _Proof(None, None)
            if verdict.faults:
                return _Proof(None, None)
            return _Proof(verdict.balance_optimal, verdict.moves_optimal)
        if not _is_assignment(self._problem, target):
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
