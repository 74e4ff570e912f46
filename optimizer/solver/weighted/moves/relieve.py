"""From the owners to a level by few moves: who has too much gives it up, the heaviest first."""

from bisect import bisect_left

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.moves.make_room import make_room
from optimizer.solver.weighted.moves.placing import LeastFull
from optimizer.solver.weighted.moves.refit import Refit
from optimizer.solver.weighted.moves.release import TooFull, to_release
from optimizer.solver.weighted.problem import WeightedProblem

LARGE = 3_000
"""In smaller groups the exchanges of `make_room` are about as good."""

IN_VAIN = 100
"""Failures to make room for a partition after which none is made for others."""

ROUNDS = 3
"""So often it is tried to shed less, where not all that is shed can be placed."""


def relieved(problem: WeightedProblem, level: int) -> IntArray | None:
    """An assignment that is nowhere above a level, by as few moves as it can find; None if none.

    Whoever is above it gives up as few partitions as can be, and of these what is just enough. They
    are placed with what has no owner, the heaviest first, and in large groups exchanged among
    their takers until all fit. Where one fits in nowhere it goes back, and its owner gives up the
    lightest that is enough and fits somewhere, or else the heaviest that fits. Where nothing does,
    two are exchanged, or a third member takes one. It is then tried whether it takes fewer moves if
    less is given up, by as much as there was no room for; unless that changes nothing, or as many
    are given up as a plan moves.
    """
    relief = _Relief(problem, level)
    full = relief.too_full
    released = to_release(full, 0)
    best, moves, saving = None, len(problem.class_of) + 1, 0
    for _ in range(ROUNDS):
        for p in released:
            relief.take(p)
        left = relief.refitted([p for p in relief.unplaced if not relief.place(p)])
        plan = relief.repaired(left) if left else relief.target
        if plan is not None and (of_plan := problem.moves_of(plan)) < moves:
            best, moves = plan, of_plan
        saving += int(problem.weight[left].sum()) if left else 0
        before, released = released, to_release(full, saving)
        if not left or released == before or len(released) >= moves:
            break
        relief = _Relief(problem, level)
    return best


class _Relief:
    """An assignment in the making, from the owners."""

    def __init__(self, problem: WeightedProblem, level: int) -> None:
        self.problem, self.level = problem, level
        self.limits = problem.weights.limits(level)
        self.target = problem.owner.copy()
        self.full = LeastFull(problem, self.target)

    @property
    def unplaced(self) -> list[int]:
        """What is read and has no owner, the heaviest first."""
        read = self.problem.read
        result: list[int] = read[self.target[read] < 0].tolist()
        return result

    @property
    def too_full(self) -> list[TooFull]:
        """The members who have too much, and what they own."""
        weight, target = self.problem.weight, self.target
        members = np.flatnonzero(self.full.loads > self.limits)
        order = np.lexsort((-weight, target))  # of each member the heaviest first
        starts = target[order].searchsorted(members)
        ends = target[order].searchsorted(members, "right")
        excess = (self.full.loads - self.limits)[members]
        return [
            TooFull(order[start:end].tolist(), weight[order[start:end]].tolist(), of_member)
            for start, end, of_member in zip(starts, ends, excess.tolist(), strict=True)
        ]

    def repaired(self, left: list[int]) -> IntArray | None:
        """The assignment with all placed that there was no room for; None if it can't be."""
        owner = self.problem.owner
        for p in left:
            if owner[p] != NOBODY:
                self.give_to(p, int(owner[p]))
        over = np.flatnonzero(self.full.loads > self.limits).tolist()
        is_relieved = all([self.relieve(member) for member in over])  # noqa: C419 - each of them
        homeless = [p for p in left if owner[p] == NOBODY and not self.place(p)]
        if is_relieved and not homeless:
            return self.target
        return make_room(self.problem, self.target, self.level, homeless)

    def relieve(self, member: int) -> bool:
        """Let a member give up one partition after the other until it fits; whether it does."""
        problem, full = self.problem, self.full
        class_of, weight_of = problem.class_list, problem.weight_list
        own = np.flatnonzero(self.target == member)
        own = own[np.argsort(problem.weight[own], kind="stable")].tolist()
        while (excess := int(full.loads[member] - self.limits[member])) > 0:
            at, taker = bisect_left(own, excess, key=weight_of.__getitem__), None
            while own and taker is None:  # what has no room now won't have any later
                p = own.pop(min(at, len(own) - 1))
                level, reader = full.reader(class_of[p], weight_of[p])
                taker = reader if level <= self.level and reader != member else None
            if taker is None:
                return False
            self.take(p)
            self.give_to(p, taker)
        return True

    def place(self, p: int) -> bool:
        """Place a partition with its least full reader, if it fits there."""
        level, taker = self.full.reader(self.problem.class_list[p], self.problem.weight_list[p])
        if level > self.level:
            return False
        self.give_to(p, taker)
        return True

    def refitted(self, left: list[int]) -> list[int]:
        """What still has no room when what moves anyhow has been exchanged to make some."""
        if len(self.problem.read) < LARGE:
            return left
        refit = Refit(self.problem, self.target, self.full, self.limits)
        still: list[int] = []
        for p in left:
            taker = refit.taker(p) if len(still) < IN_VAIN else None
            if taker is None:
                still.append(p)
            else:
                self.give_to(p, taker)
        return still

    def take(self, p: int) -> None:
        self.full.take(int(self.target[p]), self.problem.weight_list[p])
        self.target[p] = NOBODY

    def give_to(self, p: int, member: int) -> None:
        self.full.give(member, self.problem.weight_list[p])
        self.target[p] = member
