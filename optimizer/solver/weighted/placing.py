"""Place partitions one by one with the reader that each makes least full, or make room for one."""

from collections.abc import Iterable
from heapq import heapify, heappush, heapreplace

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import Assignment, WeightedProblem

Entry = tuple[int, int, int]
"""A member's load, how many partitions it has, and the member."""


class LeastFull:
    """Finds the reader of a class that a partition makes least full; among equals, by numbers.

    `loads` and `counts` are those of all members, and are kept up to date by `give`, `take` and
    `shift`. Among readers of one capacity the weight to come decides nothing: where they are fewer
    than the partitions, they wait in a heap, each at a load and a number that it had, and never at
    more than it has.
    """

    def __init__(self, problem: WeightedProblem, target: IntArray) -> None:
        self._problem = problem
        self.loads = problem.weights.loads(target)
        self.counts = np.bincount(target + 1, minlength=problem.members + 1)[1:]
        self._entries = [
            *zip(self.loads.tolist(), self.counts.tolist(), range(problem.members), strict=True)
        ]
        self._scale = problem.weights.parts / problem.weights.capacity
        # Less than any weight, so that numbers matter among equals alone.
        self._by_number = 1e-9 * problem.total / max(len(problem.class_of), 1)
        self._heaps: dict[int, list[Entry]] = {}
        self._heaps_of: list[list[list[Entry]]] = [[] for _ in range(problem.members)]

    def reader(self, c: int, weight: int) -> tuple[float, int]:
        """The level that the best reader of class c has with so much more, and the reader."""
        if self._problem.are_few[c]:
            load, _, member = self._first(self._heaps.get(c) or self._heap(c))
            return float((load + weight) * self._scale[member]), member
        readers = self._problem.readers[c]
        levels = (self.loads[readers] + weight) * self._scale[readers]
        at = int((levels + self.counts[readers] * self._by_number).argmin())
        return float(levels[at]), int(readers[at])

    def give(self, member: int, weight: int) -> None:
        """Let a member have a partition of that weight."""
        self._add(member, weight, 1)

    def take(self, member: int, weight: int) -> None:
        """Let a member give one up."""
        self._add(member, -weight, -1)

    def shift(self, giver: int, taker: int, weight: int) -> None:
        """Let two members exchange partitions, of which the giver's weighs so much more."""
        self._add(giver, -weight, 0)
        self._add(taker, weight, 0)

    def _add(self, member: int, weight: int, count: int) -> None:
        self.loads[member] += weight
        self.counts[member] += count
        before, number, _ = self._entries[member]
        self._entries[member] = entry = before + weight, number + count, member
        if weight < 0:
            for heap in self._heaps_of[member]:
                heappush(heap, entry)

    def _heap(self, c: int) -> list[Entry]:
        members = self._problem.readers[c].tolist()
        self._heaps[c] = heap = [self._entries[member] for member in members]
        heapify(heap)
        for member in members:
            self._heaps_of[member].append(heap)
        return heap

    def _first(self, heap: list[Entry]) -> Entry:
        """The reader with least; whoever has more than where it stands goes to its place."""
        while (now := self._entries[heap[0][2]]) != heap[0]:
            heapreplace(heap, now)
        return now


def longest_first(problem: WeightedProblem) -> IntArray:
    """Every partition where it makes the least full, the heaviest first (Graham 1969)."""
    target = np.full(len(problem.class_of), -1)
    read = problem.read
    if problem.is_homogeneous:
        target[read] = _by_heap(problem.weight[read].tolist(), problem.members)
        return target
    return place_rest(problem, target)


def place_rest(problem: WeightedProblem, target: IntArray) -> IntArray:
    """The assignment with all that has no member placed so."""
    target = target.copy()
    unplaced = problem.read[target[problem.read] < 0]
    full = LeastFull(problem, target)
    takers = []
    for c, weight in zip(
        problem.class_of[unplaced].tolist(), problem.weight[unplaced].tolist(), strict=True
    ):
        member = full.reader(c, weight)[1]
        full.give(member, weight)
        takers.append(member)
    target[unplaced] = takers
    return target


def _by_heap(weights: Iterable[int], members: int) -> list[int]:
    """The member for each partition, of members who read all and are alike."""
    heap = [(0, 0, member) for member in range(members)]
    takers = []
    for weight in weights:
        load, count, member = heap[0]
        heapreplace(heap, (load + weight, count + 1, member))
        takers.append(member)
    return takers


EXCHANGES = 4
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
    for _ in range(EXCHANGES * problem.members):
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
