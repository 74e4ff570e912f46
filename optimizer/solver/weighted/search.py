"""The state of a search for a plan by weight: bounds so far, and how close is enough."""

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.descent import Descent, Step
from optimizer.solver.weighted.prices import (
    PriceBound,
    SetBound,
    counted_bound,
    most_loaded,
    price_bound,
    simple_bound,
)
from optimizer.solver.weighted.problem import WeightedProblem

MOST_ASSIGNMENTS = 100_000
"""Assignments that are examined, at most."""

MOST_LOADS = 1 << 22
"""Loads of members, over all assignments."""


class SearchBound(NamedTuple):
    """No plan is below `level`: all were examined."""

    level: int


class Every:
    """The level and the moves of each assignment of what somebody reads.

    Assignments are in the order of their members, the last partition's first.
    """

    def __init__(self, problem: WeightedProblem) -> None:
        self._problem = problem
        loads, moves = np.zeros((1, problem.members), np.int64), np.zeros(1, np.int64)
        for partition in problem.read.tolist():
            readers, owner = self._readers(partition), problem.owner[partition]
            loads = np.repeat(loads, len(readers), axis=0)
            taken = np.tile(readers, len(moves))
            loads[np.arange(len(loads)), taken] += problem.weight[partition]
            leaves = taken != owner if owner != NOBODY else np.zeros(len(taken), np.bool_)
            moves = np.repeat(moves, len(readers)) + leaves
        self._moves: IntArray = moves
        self._levels: IntArray = problem.weights.levels(loads).max(axis=1, initial=0)

    @staticmethod
    def fits(problem: WeightedProblem) -> bool:
        """Whether a group has so few assignments."""
        most = min(MOST_ASSIGNMENTS, MOST_LOADS // max(problem.members, 1))
        readers = problem.reads.sum(axis=1)[problem.class_of[problem.read]]
        choices = readers[readers > 1]
        if len(choices) > most.bit_length():  # each doubles them at least
            return False
        return bool(prod(choices.tolist()) <= most)

    @property
    def level(self) -> int:
        """The lowest."""
        return int(self._levels.min())

    def fewest_moves(self, level: int) -> IntArray:
        """The assignment that isn't above a level with the fewest moves, of these the lowest."""
        order = np.lexsort((self._levels, self._moves, self._levels > level))
        return self._assignment(int(order[0]))

    def _assignment(self, at: int) -> IntArray:
        target = np.full(len(self._problem.class_of), NOBODY, np.int64)
        for partition in reversed(self._problem.read.tolist()):
            readers = self._readers(partition)
            at, which = divmod(at, len(readers))
            target[partition] = readers[which]
        return target

    def _readers(self, partition: int) -> list[int]:
        readers: list[int] = self._problem.readers[self._problem.class_of[partition]].tolist()
        return readers


class Effort(NamedTuple):
    """Numbers of steps.

    `perturbations` a member: how often some members' partitions are dealt again where a
    plan is stuck.
    `rounds` of prices, each for one linear programme. A search ends where the plan is within
    `enough` of the bound, as a share of it.
    """

    perturbations: int
    rounds: int
    enough: float


EFFORTS = {
    "quick": Effort(perturbations=0, rounds=0, enough=0.001),
    "standard": Effort(perturbations=8, rounds=200, enough=0.001),
}


class Search:
    """The bound that is shown for a group so far, and how good a plan has to be by it."""

    def __init__(self, problem: WeightedProblem, effort: Effort, tolerance: float) -> None:
        self.problem, self.effort, self.tolerance = problem, effort, tolerance
        self.bound: SetBound | PriceBound | SearchBound = simple_bound(problem)
        self._is_simple = True
        self.at_hand: IntArray | None = None
        self._lowest = 0
        self._known: tuple[IntArray, int] | None = None

    def offer(self, target: IntArray) -> None:
        """A plan that there is, should time run out: the lowest one is kept."""
        if self.at_hand is None or self.problem.level_of(target) < self._lowest:
            self.at_hand, self._lowest = target, self.problem.level_of(target)

    def run_descent(self, descent: Descent, goal: int, steps: Sequence[Step]) -> IntArray:
        """Where a descent ends, which is at hand if time runs out on the way."""
        try:
            return descent.run(goal, steps)
        finally:
            self.offer(descent.target)

    @property
    def goal(self) -> int:
        """A plan at this level is good enough."""
        return raise_level(self.bound.level, self.effort.enough)

    @property
    def tolerated_level(self) -> int:
        """Up to that level fewer moves count more."""
        return raise_level(self.bound.level, self.tolerance)

    def is_good(self, target: IntArray) -> bool:
        """Whether no plan is better by much."""
        return self._level_of(target) <= self.goal

    def is_proven(self, target: IntArray) -> bool:
        """Whether a plan is within the tolerance, or the best where there are no moves to save."""
        return self._level_of(target) <= self.enough

    def _level_of(self, target: IntArray) -> int:
        """The level of a plan; several questions in turn are about the same one."""
        if self._known is None or self._known[0] is not target:
            self._known = target, self.problem.level_of(target)
        return self._known[1]

    @property
    def enough(self) -> int:
        """Up to that level fewer moves count more; without owners there are none to save."""
        return self.tolerated_level if self.problem.has_owners else self.bound.level

    @cached_property
    def every(self) -> Every:
        """All assignments of a small group."""
        return Every(self.problem)

    @cached_property
    def has_looked_at_all(self) -> bool:
        """Look at all assignments where there are few; the bound is then the lowest level."""
        if Every.fits(self.problem):
            self.bound, self._is_simple = SearchBound(self.every.level), False
        return isinstance(self.bound, SearchBound)

    def better_bound_for(self, target: IntArray) -> None:
        """Look for a better bound where a plan isn't good enough by the one that there is."""
        if not self.is_good(target):
            self.better_bound()
        if not self.is_good(target):
            self._by_numbers(target)
        if not self.is_proven(target):
            _ = self.has_looked_at_all

    def better_bound(self) -> bool:
        """Ask all sets, once; whether the bound is better than it was."""
        if not self._is_simple or self.problem.is_homogeneous:
            return False
        self._is_simple = False
        before = self.bound
        if not isinstance(before, SetBound):
            raise TypeError("sets come before prices")
        self.bound = most_loaded(self.problem, before)
        return self.bound.level > before.level

    def better_prices(self, target: IntArray) -> None:
        """Look for prices too, if the effort has any rounds and the plan isn't good enough."""
        if not self.effort.rounds or self.is_good(target):
            return
        self._by_numbers(target)
        if self.is_good(target):
            return
        rounds, enough = self.effort.rounds, self.effort.enough
        bound = price_bound(self.problem, self.bound.level, target, rounds, enough)
        if bound is not None and bound.level > self.bound.level:
            self.bound = bound

    def _by_numbers(self, target: IntArray) -> None:
        """Look for a bound that the numbers of partitions show."""
        bound = counted_bound(self.problem, self.bound.level, self._level_of(target))
        self.bound = bound or self.bound


def raise_level(level: int, share: float) -> int:
    """A level raised by a share of itself."""
    return level + int(level * share)
