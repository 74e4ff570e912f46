"""Lower the highest load step by step, by moves, swaps, splits of two members, and chains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from optimizer.solver.weighted.chain_moves import NOTHING, chain_moves
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.split import best_split

WIDEST = 200_000
"""So many exchanges are looked at together at most; in larger groups those with the least full."""

WORK = 20_000_000
"""So many exchanges are looked at in all: then the plan at hand has to do."""

MOST_MEMBERS = 200
"""In larger groups nothing is passed on over more than three."""

NEVER = np.inf

Reals = NDArray[np.float64]


class Descent:
    """An assignment and its loads, while the highest is lowered.

    Levels are compared as real numbers, each of which is one product, so that they are the same
    everywhere; whether a plan is any better is told by whole numbers at the end.
    """

    def __init__(self, facts: WeightedProblem, target: IntArray) -> None:
        self.facts, self.target = facts, target.copy()
        self.loads = facts.weights.loads(target)
        self.scale = facts.weights.parts / facts.weights.capacity
        self.work = 0

    @property
    def levels(self) -> Reals:
        result: Reals = self.loads * self.scale
        return result

    @property
    def is_spent(self) -> bool:
        return self.work >= WORK

    def run(self, goal: int) -> IntArray:
        """Lower the highest load to the goal, as long as anything lowers it and `WORK` lasts."""
        while not self.is_spent:
            levels = self.levels
            top = int(levels.argmax())
            if levels[top] <= goal or not self._lower(top, float(levels[top]), goal):
                break
        return self.target

    def _lower(self, top: int, level: float, goal: int) -> bool:
        """Whether a change was made that lowers the fullest member and leaves all below it."""
        own = (self.target == top).nonzero()[0]
        if not len(own):
            return False
        others = self._others(top, len(own))
        self.work += len(own) * (len(others) + self.facts.members)
        return (
            self._move_or_swap(top, level, own, others)
            or self._split(top, level)
            or self._chain(top, level, own, others)
            or self._chain_moves(top, level, goal)
        )

    def _chain_moves(self, top: int, level: float, goal: int) -> bool:
        """Pass something on over any number of members: to the goal at once, or at least lower."""
        if self.facts.members > MOST_MEMBERS:
            return False
        for lower in (goal, (goal + int(level)) // 2, int(level) - 1):
            limits = self.facts.weights.limits(lower)
            within = np.maximum(limits, self.loads)
            within[top] = limits[top]
            transfers = chain_moves(self.facts, self.target, self.loads, within, top)
            if transfers is not None:
                for transfer in transfers:
                    self.give(transfer.gives, transfer.taker)
                    if transfer.gets != NOTHING:
                        self.give(transfer.gets, transfer.giver)
                return True
        return False

    def _others(self, top: int, own: int) -> IntArray:
        """The partitions to exchange with: all, or those of the least full members."""
        held = (self.target >= 0) & (self.target != top)
        most = WIDEST // own
        if np.count_nonzero(held) > most:
            counts = np.bincount(self.target[self.target >= 0], minlength=self.facts.members)
            order = np.argsort(self.levels, kind="stable")
            few = order[: max(1, int(np.searchsorted(counts[order].cumsum(), most)))]
            selection = np.zeros(self.facts.members, np.bool_)
            selection[few] = True
            held &= selection[self.target]
        result: IntArray = held.nonzero()[0]
        return result

    def _move_or_swap(self, top: int, level: float, own: IntArray, others: IntArray) -> bool:
        """Make the best move or swap out of the fullest member, if one is any better."""
        facts, scale = self.facts, self.scale
        weight, class_of, reads = facts.weight, facts.class_of, facts.reads
        gives = weight[own]
        moved = np.maximum(
            ((self.loads[top] - gives) * scale[top])[:, None],
            (self.loads + gives[:, None]) * scale,
        )
        moved[~reads[class_of[own]]] = NEVER
        moved[:, top] = NEVER
        at = int(moved.argmin())
        best, taker = moved.reshape(-1)[at], at % facts.members
        p, q = int(own[at // facts.members]), -1
        if len(others):
            holder = self.target[others]
            difference = gives[:, None] - weight[others]
            swapped = np.maximum(
                (self.loads[top] - difference) * scale[top],
                (self.loads[holder] + difference) * scale[holder],
            )
            swapped[~reads[class_of[own]][:, holder]] = NEVER
            swapped[:, ~reads[class_of[others], top]] = NEVER
            at = int(swapped.argmin())
            if swapped.reshape(-1)[at] < best:
                best = swapped.reshape(-1)[at]
                p, q = int(own[at // len(others)]), int(others[at % len(others)])
                taker = int(self.target[q])
        if not best < level:
            return False
        self.give(p, taker)
        if q >= 0:
            self.give(q, top)
        return True

    def _split(self, top: int, level: float) -> bool:
        """Deal the partitions of the fullest member and another one anew, as well as can be."""
        for other in np.argsort(self.levels, kind="stable").tolist():
            if other == top:
                continue
            rows = best_split(self.facts, self.target, top, other, level)
            if rows is not None:
                for p, member in rows:
                    self.give(p, member)
                return True
        return False

    def _chain(self, top: int, level: float, own: IntArray, others: IntArray) -> bool:
        """Give a partition to a member that gives another one to a third."""
        facts, scale = self.facts, self.scale
        if not len(others) or facts.members < 3:
            return False
        weight, class_of, reads = facts.weight, facts.class_of, facts.reads
        holder = self.target[others]
        # The best third member for each: the least full that is neither of the two.
        third = (self.loads + weight[others][:, None]) * scale
        third[~reads[class_of[others]]] = NEVER
        third[:, top] = NEVER
        third[np.arange(len(others)), holder] = NEVER
        to = third.argmin(axis=1)
        difference = weight[own][:, None] - weight[others]
        value = np.maximum(
            (self.loads[holder] + difference) * scale[holder],
            third[np.arange(len(others)), to],
        )
        value = np.maximum(value, ((self.loads[top] - weight[own]) * scale[top])[:, None])
        value[~reads[class_of[own]][:, holder]] = NEVER
        at = int(value.argmin())
        if not value.reshape(-1)[at] < level:
            return False
        p, number = int(own[at // len(others)]), at % len(others)
        q = int(others[number])
        self.give(p, int(self.target[q]))
        self.give(q, int(to[number]))
        return True

    def give(self, p: int, member: int) -> None:
        """Let a member have a partition."""
        weight = self.facts.weight[p]
        self.loads[self.target[p]] -= weight
        self.loads[member] += weight
        self.target[p] = member
