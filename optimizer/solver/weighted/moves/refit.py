"""Room for what is left over, by exchanges of what moves anyhow: they cost no moves."""

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.moves.placing import LeastFull
from optimizer.solver.weighted.problem import WeightedProblem

MEMBERS = 3
"""Members of which partitions are moved to make room for one."""

STEPS = 24
"""Exchanges made for it with each of them, at most."""

MAX_PAIRS = 200_000
"""Pairs of partitions that are examined in one array, at most."""


class Refit:
    """Exchanges between members of partitions that aren't with their owners.

    What lacks room when all others have been placed lacks it since the room that there is lies in
    pieces: exchanges for what is a little lighter bring them together.
    """

    def __init__(
        self, problem: WeightedProblem, target: IntArray, full: LeastFull, limits: IntArray
    ) -> None:
        self.problem, self.target = problem, target
        self.full, self.limits = full, limits
        self.free = ((target >= 0) & (target != problem.owner)).nonzero()[0]

    def taker(self, p: int) -> int | None:
        """A reader that has room for a partition now; None if none could be made."""
        held = np.bincount(self.target[self.free], minlength=self.problem.members)
        may = self.problem.reads[self.problem.class_of[p]] & (held > 1)
        room = np.where(may, self.limits - self.full.loads, -1)
        for member in np.argsort(-room, kind="stable")[:MEMBERS].tolist():
            if may[member] and self._make_room(member, int(self.problem.weight[p])):
                self.free = np.append(self.free, p)
                return int(member)
        return None

    def _make_room(self, member: int, weight: int) -> bool:
        for _ in range(STEPS):
            lacking = weight - int(self.limits[member] - self.full.loads[member])
            if lacking <= 0:
                return True
            if not self._lighten(member, lacking):
                return False
        return False

    def _lighten(self, member: int, lacking: int) -> bool:
        """Exchange one for a lighter one: by the least that is enough, or the most there is."""
        problem, holder = self.problem, self.target[self.free]
        own = self.free[holder == member]
        others = self.free[holder != member]
        if not len(own) or not len(others) or len(own) * len(others) > MAX_PAIRS:
            return False
        holder = self.target[others]
        gain = problem.weight[own][:, None] - problem.weight[others]
        fits = (gain > 0) & (gain <= (self.limits - self.full.loads)[holder])
        if not problem.all_read_all:
            fits &= problem.may_swap(own, member, others, holder)
        worth = np.where(gain >= lacking, 2 * lacking - gain, gain)
        worth = np.where(fits, worth, np.iinfo(np.int64).min)
        at = int(worth.argmax())
        p, q = divmod(at, len(others))
        if not fits[p, q]:
            return False
        mine, other, taker = int(own[p]), int(others[q]), int(holder[q])
        self.full.shift(member, taker, int(gain[p, q]))
        self.target[mine], self.target[other] = taker, member
        return True
