"""Measure encoded groups under several strategies, inside `mapInPandas`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame

from optimizer.checker import check_assignment
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
)
from optimizer.strategies import OPTIMAL, strategy_named
from spark.budget import STRATEGY_SECONDS, Budget
from spark.fleet_goals import DEFAULT_FLEET_GOALS, FleetGoals
from spark.group_row import FleetGroup, failed, read_or_failed
from spark.solved_row import GROUP_SCHEMA, Cells, columns_of

CURRENT = "current"
"""In a comparison: the assignment as found."""

COMPARISON_SCHEMA = f"""{GROUP_SCHEMA},
excess long, local_reads long, remote_reads long,
transferring long, stopped_eager long, stopped_cooperative long, rounds int"""
"""A group's row under one strategy; what isn't known is null.

`excess`: by so many partitions the most loaded member is above the most loaded one of the optimum,
which is as low as subscriptions let it be.

`local_reads` and `remote_reads`: partitions read within a rack and across racks, in the meaning of
the group's goals; null where goals or facts have no racks. `balance_optimal` and `moves_optimal`
are about balance and moves alone, whatever the goals say of racks.

`transferring`: partitions that nobody has after the first round of `cooperative-sticky`, because
they change hands (partitionsTransferringOwnership in Kafka); 0 for the others.

The other columns are the price of a rebalance that leads from the assignment as found to that of
the strategy, for partitions whose owner is present and still subscribed (the others stand still
whatever is done). `stopped_eager`: partitions that stop under the eager protocol, which are all of
them. `stopped_cooperative`: partitions that stop under the cooperative protocol, or the
coordinator's, which are those that their owner loses. `rounds`: rebalances under the cooperative
protocol, 2 if a partition changes hands, and else 1; the eager protocol always takes 1. `current`
is there already: it costs nothing.
"""

Answered = tuple[Answer, float]
"""An answer, and how many seconds it took."""


def measure_groups(
    encoded: DataFrame,
    strategies: Sequence[str],
    strategy_seconds: float = STRATEGY_SECONDS,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
) -> DataFrame:
    """Measure every group under each of the strategies: a row of COMPARISON_SCHEMA for both.

    Where a strategy needs more than `strategy_seconds` for a group, that row is `failed`. `goals`
    are those of `optimal`.
    """
    for name in strategies:
        if name != CURRENT:
            strategy_named(name)
    names = columns_of(COMPARISON_SCHEMA)

    def measure_batches(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            with Budget(strategy_seconds) as budget:
                rows = [
                    cells
                    for row in batch.itertuples(index=False)
                    for cells in rows_of_group(
                        row, strategies, budget, goals.of(row.cluster, row.group)
                    )
                ]
            yield pd.DataFrame(rows, columns=names)

    return encoded.mapInPandas(measure_batches, COMPARISON_SCHEMA.replace(" group ", " `group` "))


def rows_of_group(
    row: Any, strategies: Sequence[str], budget: Budget, goals: Goals = DEFAULT_GOALS
) -> Iterator[Cells]:
    """Whatever a strategy makes of a group becomes a row, so that it doesn't stop the others."""
    group = read_or_failed(row)
    if group.problem is None:
        for strategy in strategies:
            yield _without_answer(row, group, strategy)
        return
    trial = _Trial(group.problem, budget, goals)
    for strategy in strategies:
        try:
            yield _said_of(row, group, strategy) + trial.cells(strategy)
        except Exception as error:
            yield _without_answer(row, failed(error), strategy)


def _said_of(row: Any, group: FleetGroup, strategy: str) -> Cells:
    return row.cluster, row.group, group.status, group.reason, strategy, len(row.member_ids)


def _without_answer(row: Any, group: FleetGroup, strategy: str) -> Cells:
    return (*_said_of(row, group, strategy), *[None] * 8, 0.0, *[None] * 7)


class _Proof(NamedTuple):
    """What is known of an assignment's worth; None where it isn't known, or isn't an assignment."""

    balance_optimal: bool | None
    moves_optimal: bool | None


class _Trial:
    """One group under any strategy; each is asked once, even if it fails."""

    def __init__(self, problem: Problem, budget: Budget, goals: Goals) -> None:
        self._problem = problem
        self._goals = goals
        self._near = rack_table_of(problem, goals.rack)
        self._budget = budget
        self._answers: dict[str, Answered | Exception] = {}

    def cells(self, strategy: str) -> Cells:
        """The cells from `partitions` on; raises what the strategy raises."""
        problem = self._problem
        answer, seconds = self._answer(strategy)
        target = answer.target
        measures = measure(problem, target)
        excess = None
        if self._optimum is not None:
            excess = max(0, measures.max_load - self._optimum.max_load)
        reads = self._near.reads(target) if self._near else (None, None)
        costs = (0, 0, 0, 0) if strategy == CURRENT else _costs(problem, answer, measures.moves)
        return (*measures, *self._proof(target, measures), seconds, excess, *reads, *costs)

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
        chosen = strategy_named(strategy)
        if chosen.target_of:  # worked out once for both (KIP-429)
            answer, seconds = self._answer(chosen.target_of)
            return settled(answer.target), seconds
        started = time.perf_counter()
        answer = self._budget.spend(lambda: chosen.assign(problem, self._goals))
        return answer, time.perf_counter() - started

    @cached_property
    def _optimum(self) -> Measures | None:
        """The optimum's by default goals, if it was found and is proven by the check."""
        try:
            if self._goals == DEFAULT_GOALS:
                target = self._answer(OPTIMAL)[0].target
            else:
                answer = self._budget.spend(lambda: strategy_named(OPTIMAL).assign(self._problem))
                target = answer.target
            verdict = check_assignment(self._problem, target)
        except Exception:
            return None
        return verdict.measures if verdict.moves_optimal else None

    def _proof(self, target: IntArray, measures: Measures) -> _Proof:
        """By comparison with the optimum; where that isn't known, by the check."""
        if self._optimum is None:
            verdict = check_assignment(self._problem, target)
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


def _costs(problem: Problem, answer: Answer, moves: int) -> Cells:
    """The cells from `transferring` on."""
    transferring = 0
    if answer.first_round is not answer.target:
        transferring = int(np.count_nonzero(answer.first_round != answer.target))
    keepable = classes_of(problem).keepable
    lost = keepable & (answer.target != problem.owner)
    return (
        transferring,
        int(np.count_nonzero(keepable)),
        int(np.count_nonzero(lost)),
        2 if moves or transferring else 1,
    )
