"""All assignments of a small group, by weight."""

from math import prod
from typing import NamedTuple

import numpy as np

from optimizer.model import NOBODY, IntArray
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
        result: list[int] = self._problem.readers[self._problem.class_of[partition]].tolist()
        return result
