"""A plan from the owners by few moves: who has too much gives up, and what it gives is placed."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.placing import LeastFull, make_room
from optimizer.solver.weighted.problem import WeightedProblem


@dataclass(frozen=True)
class TooFull:
    """Some partitions of a member, the heaviest first, their weights, and how much is too much."""

    own: list[int]
    weight: list[int]
    excess: int

    @cached_property
    def least(self) -> list[int]:
        """Places of as few as it can give up."""
        return _least(self)

    @cached_property
    def closer(self) -> list[int]:
        """Places of what is closer to just enough: more, and none of it too heavy.

        Where one partition is enough, it is done without any that would be.
        """
        if len(self.least) > 1:
            return _least(self, more=1)
        lead = sum(weight >= self.excess for weight in self.weight)
        lighter = TooFull(self.own[lead:], self.weight[lead:], self.excess)
        return [lead + at for at in _least(lighter)] or self.least

    @cached_property
    def weight_saved(self) -> int:
        """How much less `closer` weighs than `least`."""
        weight = self.weight
        return sum(weight[at] for at in self.least) - sum(weight[at] for at in self.closer)

    @cached_property
    def worth(self) -> float:
        """Weight saved for each partition that `closer` has more."""
        return self.weight_saved / max(len(self.closer) - len(self.least), 1)


def to_release(full: Sequence[TooFull], saving: int) -> list[int]:
    """Partitions that some members have to give up.

    Each gives up as few as it can. So that it weighs less by `saving`, some give up more, and what
    is closer to just enough: those first who save most for each that is more.
    """
    releases = [member.least for member in full]
    if saving:
        for at in sorted(range(len(full)), key=lambda at: -full[at].worth):
            if saving <= 0 or full[at].weight_saved <= 0:
                break
            saving -= full[at].weight_saved
            releases[at] = full[at].closer
    return [
        member.own[at] for member, released in zip(full, releases, strict=True) for at in released
    ]


def _least(member: TooFull, more: int = 0) -> list[int]:
    """Of the fewest partitions that are enough those that weigh least, about; none if none are.

    `more`: how many more than the fewest to take. All but two are the heaviest; of those two the
    sum is the least that is enough.
    """
    weights, excess = member.weight, member.excess
    enough = next((at for at, sums in enumerate(accumulate(weights)) if sums >= excess), None)
    if enough is None:
        return []
    count = min(enough + 1 + more, len(weights))
    fixed = max(0, count - 2)
    heaviest = list(range(fixed))
    excess -= sum(weights[:fixed])
    if count - fixed == 1:
        return [*heaviest, sum(weight >= excess for weight in weights[fixed:]) + fixed - 1]
    return [*heaviest, *_two(weights, fixed, excess)]


def _two(weight: list[int], first: int, excess: int) -> tuple[int, int]:
    """Of those from the first on the two, the heavier one before, of the least sum that is enough.

    The heavier a partition is, the lighter is the lightest that is enough with it.
    """
    count, lightest = len(weight), first - 1
    best, pair = None, (first, first + 1)
    for at in range(count - 1, first - 1, -1):
        while lightest + 1 < count and weight[lightest + 1] + weight[at] >= excess:
            lightest += 1
        sums = weight[at] + weight[lightest]
        if lightest > at and (best is None or sums < best):
            best, pair = sums, (at, lightest)
    return pair


REFIT_MEMBERS = 3
"""Members of which partitions are moved to make room for one."""

REFIT_STEPS = 24
"""Exchanges made for it with each of them, at most."""

REFIT_PAIRS = 200_000
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
        for member in np.argsort(-room, kind="stable")[:REFIT_MEMBERS].tolist():
            if may[member] and self._make_room(member, int(self.problem.weight[p])):
                self.free = np.append(self.free, p)
                return int(member)
        return None

    def _make_room(self, member: int, weight: int) -> bool:
        for _ in range(REFIT_STEPS):
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
        if not len(own) or not len(others) or len(own) * len(others) > REFIT_PAIRS:
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


LARGE = 3_000
"""In smaller groups the exchanges of `make_room` are about as good."""

IN_VAIN = 100
"""Failures to make room for a partition after which none is made for others."""

ROUNDS = 3
"""So often it is tried to shed less, where not all that is shed can be placed."""


def relieve_above(problem: WeightedProblem, level: int) -> IntArray | None:
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
        left = relief.fit_by_exchanges([p for p in relief.unplaced if not relief.place(p)])
        plan = relief.repair(left) if left else relief.target
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
        """Partitions that are read and have no owner, the heaviest first."""
        read = self.problem.read
        partitions: list[int] = read[self.target[read] < 0].tolist()
        return partitions

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

    def repair(self, left: list[int]) -> IntArray | None:
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

    def fit_by_exchanges(self, left: list[int]) -> list[int]:
        """Partitions that still have no room after exchanges of those that move anyhow."""
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
