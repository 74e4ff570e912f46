"""From the owners to a level by few moves: who has too much gives it up, the heaviest first."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.make_room import make_room
from optimizer.solver.weighted.placing import LeastFull
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.refit import Refit

LARGE = 3_000
"""In smaller groups the exchanges of `optimizer.solver.weighted.make_room` are about as good."""

IN_VAIN = 100
"""After so many partitions for which no room could be made none is made for others."""

ROUNDS = 3
"""So often it is tried to shed less, where not all that is shed can be placed."""


def relieved(facts: WeightedProblem, level: int) -> IntArray | None:
    """An assignment that is nowhere above a level, by as few moves as it can find; None if none.

    Whoever is above it gives up as few partitions as can be, and of these what is just enough. They
    are placed with what has no owner, the heaviest first, and in large groups exchanged among
    their takers until all fit. Where one fits in nowhere it goes back, and its owner gives up the
    lightest that is enough and fits somewhere, or else the heaviest that fits. Where nothing does,
    two are exchanged, or a third member takes one. It is then tried whether it takes fewer moves if
    less is given up, by as much as there was no room for; unless there is a plan that takes no more
    than has to be given up.
    """
    plans, saving, least = [], 0, 0
    for _ in range(ROUNDS):
        relief = _Relief(facts, level)
        released = relief.to_release(saving)
        least = least or len(released)
        for p in released:
            relief.take(p)
        left = relief.refitted([p for p in relief.unplaced if not relief.place(p)])
        if (plan := relief.repaired(left) if left else relief.target) is not None:
            plans.append(plan)
        if not left or (plans and facts.moves_of(plans[-1]) == least):
            break
        saving += int(facts.weight[left].sum())
    return min(plans, key=facts.moves_of) if plans else None


class _Relief:
    """An assignment in the making, from the owners."""

    def __init__(self, facts: WeightedProblem, level: int) -> None:
        self.facts, self.level = facts, level
        self.limits = facts.weights.limits(level)
        self.target = facts.owner.copy()
        counts = np.bincount(self.target + 1, minlength=facts.members + 1)[1:]
        self.full = LeastFull(facts, facts.weights.loads(self.target), counts)
        order = np.argsort(self.target, kind="stable")
        ends = np.searchsorted(self.target[order], np.arange(facts.members + 1))
        self._own = [order[start:end] for start, end in pairwise(ends)]

    @property
    def unplaced(self) -> list[int]:
        """What is read and has no owner, the heaviest first."""
        read = self.facts.read
        result: list[int] = read[self.target[read] < 0].tolist()
        return result

    def to_release(self, saving: int) -> list[int]:
        """What those who have too much are to give up.

        Each gives up as few as it can. So that it weighs less by `saving`, some give up more, and
        what is closer to just enough: those first who save most for each that is more.
        """
        over = np.flatnonzero(self.full.loads > self.limits).tolist()
        sheds = [self._least(member) for member in over]
        if saving:
            weight = self.facts.weight
            closer = [
                self._closer(member, released) for member, released in zip(over, sheds, strict=True)
            ]
            saved = [
                int(weight[released].sum() - weight[other].sum())
                for released, other in zip(sheds, closer, strict=True)
            ]
            more = [
                len(other) - len(released) for released, other in zip(sheds, closer, strict=True)
            ]
            worth = [item / max(of, 1) for item, of in zip(saved, more, strict=True)]
            for at in sorted(range(len(over)), key=lambda at: (-worth[at], at)):
                if saving <= 0 or saved[at] <= 0:
                    break
                saving -= saved[at]
                sheds[at] = closer[at]
        return [p for released in sheds for p in released]

    def _closer(self, member: int, released: list[int]) -> list[int]:
        """What a member can give up that is closer to just enough: more, and none of it too heavy.

        Where one partition is enough, it is done without any that would be.
        """
        if len(released) > 1:
            return self._least(member, more=1)
        return self._least(member, lighter=True) or released

    def _least(self, member: int, more: int = 0, lighter: bool = False) -> list[int]:
        """Of the fewest partitions without which a member fits those that weigh least, about.

        `more`: of so many more than that. `lighter`: without those that are enough by themselves;
        none where the others aren't enough. All but two are the heaviest; of those two the sum is
        the least that is enough.
        """
        weight = self.facts.weight
        own = self._own[member]
        own = own[np.argsort(-weight[own], kind="stable")]
        excess = int(self.full.loads[member] - self.limits[member])
        if lighter:
            own = own[weight[own] < excess]
        weights = weight[own]
        if weights.sum() < excess:
            return []
        count = min(int(np.searchsorted(weights.cumsum(), excess)) + 1 + more, len(own))
        fixed = max(0, count - 2)
        excess -= int(weights[:fixed].sum())
        ascending = weights[fixed:][::-1]
        result: list[int] = own[:fixed].tolist()
        if count - fixed == 1:
            at = int(np.searchsorted(ascending, excess))
            return [*result, int(own[len(own) - 1 - at])]
        second = np.searchsorted(ascending, excess - ascending)
        first = np.arange(len(ascending))
        sums = ascending + ascending[np.minimum(second, len(ascending) - 1)]
        best = int(np.where(second < first, sums, np.iinfo(np.int64).max).argmin())
        return [*result, int(own[len(own) - 1 - best]), int(own[len(own) - 1 - second[best]])]

    def repaired(self, left: list[int]) -> IntArray | None:
        """The assignment with all placed that there was no room for; None if it can't be."""
        owner = self.facts.owner
        for p in left:
            if owner[p] != NOBODY:
                self.give_to(p, int(owner[p]))
        over = np.flatnonzero(self.full.loads > self.limits).tolist()
        is_relieved = all([self.relieve(member) for member in over])  # noqa: C419 - each of them
        homeless = [p for p in left if owner[p] == NOBODY and not self.place(p)]
        if is_relieved and not homeless:
            return self.target
        return make_room(self.facts, self.target, self.level, homeless)

    def relieve(self, member: int) -> bool:
        """Let a member give up one partition after the other until it fits; whether it does."""
        facts, full = self.facts, self.full
        own = np.flatnonzero(self.target == member)
        own = own[np.argsort(facts.weight[own], kind="stable")].tolist()
        while (excess := int(full.loads[member] - self.limits[member])) > 0:
            enough = bisect_left(own, excess, key=facts.weight.__getitem__)
            for at in (*range(enough, len(own)), *range(enough - 1, -1, -1)):
                p = own[at]
                level, taker = full.reader(int(facts.class_of[p]), int(facts.weight[p]))
                if level <= self.level and taker != member:
                    break
            else:
                return False
            self.take(p)
            self.give_to(p, taker)
            del own[at]
        return True

    def place(self, p: int) -> bool:
        """Place a partition with its least full reader, if it fits there."""
        level, taker = self.full.reader(int(self.facts.class_of[p]), int(self.facts.weight[p]))
        if level > self.level:
            return False
        self.give_to(p, taker)
        return True

    def refitted(self, left: list[int]) -> list[int]:
        """What still has no room when what moves anyhow has been exchanged to make some."""
        if len(self.facts.read) < LARGE:
            return left
        refit = Refit(self.facts, self.target, self.full, self.limits)
        still: list[int] = []
        for p in left:
            taker = refit.taker(p) if len(still) < IN_VAIN else None
            if taker is None:
                still.append(p)
            else:
                self.give_to(p, taker)
        return still

    def take(self, p: int) -> None:
        self.full.take(int(self.target[p]), int(self.facts.weight[p]))
        self.target[p] = NOBODY

    def give_to(self, p: int, member: int) -> None:
        self.full.give(member, int(self.facts.weight[p]))
        self.target[p] = member
