"""Place partitions one by one, each with the reader that it makes least full."""

from collections.abc import Iterable
from heapq import heapify, heappush, heapreplace

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import WeightedProblem

Entry = tuple[int, int, int]
"""A member's load, how many partitions it has, and the member."""


HEAP_READERS = 256
"""Readers of a class from which on a heap finds the least full sooner than a look at all."""


class LeastFull:
    """Finds the reader of a class that a partition makes least full; among equals, by numbers.

    `loads` and `counts` are those of all members, and are kept up to date by `give`, `take` and
    `shift`. Among readers of one capacity the weight to come decides nothing: where they are many,
    for more partitions still, they wait in a heap, each at a load and a number that it had, and
    never at more than it has.
    """

    def __init__(self, problem: WeightedProblem, loads: IntArray, counts: IntArray) -> None:
        self.loads, self.counts = loads, counts
        self._reads = problem.reads
        self._readers = [row.nonzero()[0] for row in problem.reads]
        self._scale = problem.weights.parts / problem.weights.capacity
        self._scales = [self._scale[readers] for readers in self._readers]
        # Less than any weight, so that numbers matter among equals alone.
        self._by_number = 1e-9 * float(problem.weight.sum()) / max(len(problem.weight), 1)
        partitions = np.bincount(problem.class_of[problem.read], minlength=len(problem.reads))
        self.heaps = {
            c: self._heap(readers)
            for c, (readers, scales) in enumerate(zip(self._readers, self._scales, strict=True))
            if HEAP_READERS <= len(readers) < partitions[c] and (scales == scales[0]).all()
        }

    def reader(self, c: int, weight: int) -> tuple[float, int]:
        """The level that the best reader of class c has with so much more, and the reader."""
        if heap := self.heaps.get(c):
            member = self._first(heap)
            return float((self.loads[member] + weight) * self._scale[member]), member
        readers = self._readers[c]
        levels = (self.loads[readers] + weight) * self._scales[c]
        at = int((levels + self.counts[readers] * self._by_number).argmin())
        return float(levels[at]), int(readers[at])

    def give(self, member: int, weight: int) -> None:
        """Let a member have a partition of that weight."""
        self.loads[member] += weight
        self.counts[member] += 1

    def take(self, member: int, weight: int) -> None:
        """Let a member give one up."""
        self.loads[member] -= weight
        self.counts[member] -= 1
        self._has_less(member)

    def shift(self, giver: int, taker: int, weight: int) -> None:
        """Let two members exchange partitions, of which the giver's weighs so much more."""
        self.loads[giver] -= weight
        self.loads[taker] += weight
        self._has_less(giver)

    def _heap(self, readers: IntArray) -> list[Entry]:
        heap = [self._entry(member) for member in readers.tolist()]
        heapify(heap)
        return heap

    def _entry(self, member: int) -> Entry:
        return int(self.loads[member]), int(self.counts[member]), member

    def _first(self, heap: list[Entry]) -> int:
        """The reader with least; whoever has more than where it stands goes to its place."""
        while (now := self._entry(heap[0][2])) != heap[0]:
            heapreplace(heap, now)
        return now[2]

    def _has_less(self, member: int) -> None:
        for c, heap in self.heaps.items():
            if self._reads[c, member]:
                heappush(heap, self._entry(member))


def longest_first(problem: WeightedProblem) -> IntArray:
    """Every partition where it makes the least full, the heaviest first (Graham 1969)."""
    target = np.full(len(problem.class_of), -1)
    selection = problem.read
    if (
        len(problem.reads) == 1
        and problem.members == len(problem.readers[0])
        and not problem.has_tiers
    ):
        target[selection] = _by_heap(problem.weight[selection].tolist(), problem.members)
        return target
    return completed(problem, target)


def completed(problem: WeightedProblem, target: IntArray) -> IntArray:
    """The assignment with all that has no member placed so."""
    target = target.copy()
    selection = problem.read[target[problem.read] < 0]
    counts = np.bincount(target + 1, minlength=problem.members + 1)[1:]
    full = LeastFull(problem, problem.weights.loads(target), counts)
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
