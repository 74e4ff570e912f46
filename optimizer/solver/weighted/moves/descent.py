"""Lower the highest load step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model import Flags, IntArray, Reals
from optimizer.solver.weighted.moves.assignment import Assignment
from optimizer.solver.weighted.problem import WeightedProblem

WORK = 20_000_000
"""Exchanges that are examined in all; then the current plan is returned."""


class Top(NamedTuple):
    """The fullest member and its level, what it owns, what to exchange with, and the goal."""

    member: int
    level: float
    own: IntArray
    others: IntArray
    goal: int


class Descent(Assignment):
    """An assignment and its loads, while the highest is lowered.

    Levels are compared as real numbers, each of which is one product, so that they are the same
    everywhere; whole numbers decide whether a plan is any better at the end.
    """

    def __init__(self, problem: WeightedProblem, target: IntArray) -> None:
        super().__init__(problem, target)
        self.scale = problem.weights.parts / problem.weights.capacity
        self.everybody = np.arange(problem.members)
        self.work = 0

    @property
    def levels(self) -> Reals:
        return self.levels_at(self.loads, self.everybody)

    def levels_at(self, loads: IntArray, members: IntArray | int) -> Reals:
        """The levels of some members with some loads."""
        result: Reals = loads * self.scale[members]
        return result

    @property
    def is_spent(self) -> bool:
        return self.work >= WORK

    def run(self, goal: int, steps: Sequence[Step]) -> IntArray:
        """Lower the highest load to the goal, as long as anything lowers it and `WORK` lasts."""
        while not self.is_spent and self.lower(goal, steps):
            pass
        return self.target

    def lower(self, goal: int, steps: Sequence[Step]) -> bool:
        """Make the first step that lowers the fullest member, if it is above the goal.

        Whether one was made; it leaves all others below the level that this member had.
        """
        levels = self.levels
        top = int(levels.argmax()) if len(levels) else 0
        if not len(levels) or levels[top] <= goal:
            return False
        own = (self.target == top).nonzero()[0]
        if not len(own):
            return False
        others = self.problem.exchangeable(self.target, top, len(own), levels)
        self.work += len(own) * (len(others) + self.problem.members)
        fullest = Top(top, float(levels[top]), own, others, goal)
        return any(step(self, fullest) for step in steps)

    def may_move(self, own: IntArray) -> Flags:
        """Which members (columns) may have each partition."""
        may: Flags = self.problem.reads[self.problem.class_of[own]]
        return may

    def may_swap(self, top: Top) -> Flags:
        """Which of the others (columns) may be exchanged for each of the fullest member's own."""
        return self.problem.may_swap(top.own, top.member, top.others, self.target[top.others])


Step = Callable[[Descent, Top], bool]
"""Tries to lower the fullest member; whether it did."""
