"""Lower the highest load step by step, by moves, swaps, splits of two members, and chains."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from optimizer.solver.weighted.chain_moves import chain_moves
from optimizer.solver.weighted.problem import NOTHING, Change, Reals, WeightedProblem, best_change
from optimizer.solver.weighted.split import best_split

WORK = 20_000_000
"""So many exchanges are looked at in all: then the plan at hand has to do."""

MOST_MEMBERS = 200
"""In larger groups nothing is passed on over more than three."""

NEVER = np.inf


class Top(NamedTuple):
    """The fullest member and its level, what it owns, what to exchange with, and the goal."""

    member: int
    level: float
    own: IntArray
    others: IntArray
    goal: int


class Descent:
    """An assignment and its loads, while the highest is lowered.

    Levels are compared as real numbers, each of which is one product, so that they are the same
    everywhere; whether a plan is any better is told by whole numbers at the end.
    """

    def __init__(self, facts: WeightedProblem, target: IntArray) -> None:
        self.facts, self.target = facts, target.copy()
        self.loads = facts.weights.loads(target)
        self.scale = facts.weights.parts / facts.weights.capacity
        self.everybody = np.arange(facts.members)
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

    def run(self, goal: int) -> IntArray:
        """Lower the highest load to the goal, as long as anything lowers it and `WORK` lasts."""
        while not self.is_spent and self.lower(goal):
            pass
        return self.target

    def lower(self, goal: int) -> bool:
        """Make the first change that lowers the fullest member, if it is above the goal.

        Whether one was made; it leaves all others below the level that this member had.
        """
        levels = self.levels
        top = int(levels.argmax()) if len(levels) else 0
        if not len(levels) or levels[top] <= goal:
            return False
        own = (self.target == top).nonzero()[0]
        if not len(own):
            return False
        others = self.facts.exchangeable(self.target, top, len(own), levels)
        self.work += len(own) * (len(others) + self.facts.members)
        fullest = Top(top, float(levels[top]), own, others, goal)
        return any(change(self, fullest) for change in self.changes)

    def may_move(self, own: IntArray) -> NDArray[np.bool_]:
        """Which members (columns) may have each partition."""
        may: NDArray[np.bool_] = self.facts.reads[self.facts.class_of[own]]
        return may

    def may_swap(self, top: Top) -> NDArray[np.bool_]:
        """Which of the others (columns) may be exchanged for each of the fullest member's own."""
        reads, class_of = self.facts.reads, self.facts.class_of
        may: NDArray[np.bool_] = reads[class_of[top.own]][:, self.target[top.others]]
        may &= reads[class_of[top.others], top.member]
        return may

    def move_or_swap(self, top: Top) -> bool:
        """Make the best move or swap out of the fullest member, if one is any better."""
        weight, holder = self.facts.weight, self.target[top.others]
        gives = weight[top.own][:, None]
        left = self.loads[top.member] - gives
        moved = np.maximum(
            self.levels_at(left, top.member),
            self.levels_at(self.loads + gives, self.everybody),
        )
        moved[~self.may_move(top.own)] = NEVER
        moved[:, top.member] = NEVER
        difference = gives - weight[top.others]
        swapped = np.maximum(
            self.levels_at(self.loads[top.member] - difference, top.member),
            self.levels_at(self.loads[holder] + difference, holder),
        )
        swapped[~self.may_swap(top)] = NEVER
        best = best_change(self.target, top.own, top.others, moved, swapped)
        return best.value < top.level and self._make(best, top.member)

    def split(self, top: Top) -> bool:
        """Deal the partitions of the fullest member and another one anew, as well as can be."""
        for other in np.argsort(self.levels, kind="stable").tolist():
            if other == top.member:
                continue
            result = best_split(self.facts, self.target, top.member, other, top.level)
            if result is not None:
                for p, member in result:
                    self.give(p, member)
                return True
        return False

    def relay(self, top: Top) -> bool:
        """Give a partition to a member that gives another one to a third."""
        facts, scale, own, others = self.facts, self.scale, top.own, top.others
        if not len(others) or facts.members < 3:
            return False
        weight, class_of, reads = facts.weight, facts.class_of, facts.reads
        holder = self.target[others]
        # The best third member for each: the least full that is neither of the two.
        third = (self.loads + weight[others][:, None]) * scale
        third[~reads[class_of[others]]] = NEVER
        third[:, top.member] = NEVER
        third[np.arange(len(others)), holder] = NEVER
        to = third.argmin(axis=1)
        difference = weight[own][:, None] - weight[others]
        value = np.maximum(
            (self.loads[holder] + difference) * scale[holder],
            third[np.arange(len(others)), to],
        )
        left = (self.loads[top.member] - weight[own]) * scale[top.member]
        value = np.maximum(value, left[:, None])
        value[~reads[class_of[own]][:, holder]] = NEVER
        p, q = divmod(int(value.argmin()), len(others))
        if not value[p, q] < top.level:
            return False
        self.give(int(own[p]), int(holder[q]))
        self.give(int(others[q]), int(to[q]))
        return True

    def chain(self, top: Top) -> bool:
        """Pass something on over any number of members: to the goal at once, or at least lower."""
        if self.facts.members > MOST_MEMBERS:
            return False
        for lower in (top.goal, (top.goal + int(top.level)) // 2, int(top.level) - 1):
            limits = self.facts.weights.limits(lower)
            within = np.maximum(limits, self.loads)
            within[top.member] = limits[top.member]
            result = chain_moves(self.facts, self.target, self.loads, within, top.member)
            for transfer in result or ():
                self.give(transfer.gives, transfer.taker)
                if transfer.gets != NOTHING:
                    self.give(transfer.gets, transfer.giver)
            if result is not None:
                return True
        return False

    changes: ClassVar[tuple[Callable[[Descent, Top], bool], ...]] = (
        *(move_or_swap, split, relay),
        chain,
    )
    """What may lower the fullest member, in the order that it is tried."""

    def _make(self, change: Change, giver: int) -> bool:
        self.give(change.gives, change.taker)
        if change.gets != NOTHING:
            self.give(change.gets, giver)
        return True

    def give(self, p: int, member: int) -> None:
        """Let a member have a partition."""
        weight = self.facts.weight[p]
        self.loads[self.target[p]] -= weight
        self.loads[member] += weight
        self.target[p] = member
