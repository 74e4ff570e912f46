"""Place partitions one by one, each with the reader that it makes least full."""

from collections.abc import Iterable
from heapq import heapify, heappush, heapreplace

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import WeightedProblem

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
    selection = problem.read
    if problem.is_homogeneous:
        target[selection] = _by_heap(problem.weight[selection].tolist(), problem.members)
        return target
    return completed(problem, target)


def completed(problem: WeightedProblem, target: IntArray) -> IntArray:
    """The assignment with all that has no member placed so."""
    target = target.copy()
    selection = problem.read[target[problem.read] < 0]
    full = LeastFull(problem, target)
    result = []
    for c, weight in zip(
        problem.class_of[selection].tolist(), problem.weight[selection].tolist(), strict=True
    ):
        member = full.reader(c, weight)[1]
        full.give(member, weight)
        result.append(member)
    target[selection] = result
    return target


def _by_heap(weights: Iterable[int], members: int) -> list[int]:
    """The same for members who read all and are alike."""
    heap = [(0, 0, member) for member in range(members)]
    result = []
    for weight in weights:
        load, count, member = heap[0]
        heapreplace(heap, (load + weight, count + 1, member))
        result.append(member)
    return result
