"""Make room where nothing fits in as it is: exchanges, and a third member."""

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.moves.assignment import Assignment
from optimizer.solver.weighted.problem import WeightedProblem

STEPS = 4
"""Exchanges that are tried for each member, at most."""

UNPLACED = 100
"""Where nobody has room for more partitions than that, no room is made for any."""


def make_room(
    problem: WeightedProblem, target: IntArray, level: int, unplaced: list[int]
) -> IntArray | None:
    """The assignment with all of its members within a level and all placed; None if it can't be.

    `unplaced` are partitions that nobody has room for. The fullest member that is above the level
    exchanges one of its partitions for a lighter one, or gives one to a member that passes another
    on to a third.
    """
    if len(unplaced) > UNPLACED:
        return None
    room = _Room(problem, target, level)
    for p in unplaced:
        if not room.place(p):
            return None
    for _ in range(STEPS * problem.members):
        over = room.loads - room.limits
        worst = int(over.argmax())
        if over[worst] <= 0:
            return room.target
        if not room.lower(worst, int(over[worst])):
            return None
    return None


class _Room(Assignment):
    def __init__(self, problem: WeightedProblem, target: IntArray, level: int) -> None:
        super().__init__(problem, target)
        self.limits = problem.weights.limits(level)

    def place(self, p: int) -> bool:
        """Place a partition with a reader that passes one on to a third member."""
        problem, room = self.problem, self.limits - self.loads
        may = problem.reads[problem.class_of[p]]
        if may[room >= problem.weight[p]].any():
            self.give(p, int(np.where(may, room, -1).argmax()))
            return True
        return self._pass_on(np.array([p]))

    def lower(self, member: int, excess: int) -> bool:
        """Take something off a member that has too much, by one exchange or one passing on."""
        problem = self.problem
        own = (self.target == member).nonzero()[0]
        others = problem.exchangeable(self.target, member, len(own), self.loads - self.limits)
        if not len(own) or not len(others):
            return False
        holder = self.target[others]
        difference = problem.weight[own][:, None] - problem.weight[others]
        fits = (difference > 0) & (difference <= (self.limits - self.loads)[holder])
        fits &= problem.may_swap(own, member, others, holder)
        if not fits.any():
            return self._pass_on(own)
        # The least that is enough, or else the most; rather what moves anyhow.
        enough = difference >= excess
        worth = np.where(enough, -difference, difference - (1 << 50))
        worth = np.where(fits, worth, np.iinfo(np.int64).min)
        p, q = divmod(int(worth.argmax()), len(others))
        self.give(int(own[p]), int(holder[q]))
        self.give(int(others[q]), member)
        return True

    def _pass_on(self, giving: IntArray) -> bool:
        """Give one of some partitions to a member that passes another one on to a third."""
        change = self._passing_on(giving)
        if change is None:
            return False
        p, q, third = change
        holder = int(self.target[q])
        self.give(q, third)
        self.give(p, holder)
        return True

    def _passing_on(self, giving: IntArray) -> tuple[int, int, int] | None:
        """A partition to give, one that its taker passes on, and who takes that; None: none fit."""
        problem = self.problem
        giver = int(self.target[giving[0]])
        others = problem.exchangeable(self.target, giver, len(giving), self.loads - self.limits)
        if not len(others):
            return None
        holder, weight = self.target[others], problem.weight
        room = self.limits - self.loads
        # The two readers of each class with most room: the holder isn't both of them.
        spare = np.where(problem.reads, room, -1)
        if giver >= 0:
            spare[:, giver] = -1
        classes, class_of = np.arange(len(spare)), problem.class_of[others]
        first = spare.argmax(axis=1)
        most = spare[classes, first]
        spare[classes, first] = -1
        second = spare.argmax(axis=1)
        is_holder = first[class_of] == holder
        third = np.where(is_holder, second[class_of], first[class_of])
        passes = np.where(is_holder, spare[classes, second][class_of], most[class_of])
        passes = passes >= weight[others]
        grows = weight[giving][:, None] - weight[others]
        fits = passes & (grows <= room[holder])
        fits &= problem.reads[problem.class_of[giving]][:, holder]
        if not fits.any():
            return None
        worth = np.where(fits, weight[giving][:, None], -1)
        p, q = divmod(int(worth.argmax()), len(others))
        return int(giving[p]), int(others[q]), int(third[q])
