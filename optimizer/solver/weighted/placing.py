"""Place partitions one by one, each with the reader that it makes least full."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapreplace

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.facts import Facts


class LeastFull:
    """Finds the reader of a class that a partition makes least full; among equals, by numbers.

    `loads` and `counts` are those of all members, and are kept up to date by `give` and `take`.
    """

    def __init__(self, facts: Facts, loads: IntArray, counts: IntArray) -> None:
        self.loads, self.counts = loads, counts
        self._readers = [row.nonzero()[0] for row in facts.reads]
        self._scale = facts.weights.parts / facts.weights.capacity
        self._scales = [self._scale[readers] for readers in self._readers]
        # Less than any weight, so that numbers matter among equals alone.
        self._by_number = 1e-9 * float(facts.weight.sum()) / max(len(facts.weight), 1)

    def reader(self, c: int, weight: int) -> tuple[float, int]:
        """The level that the best reader of class c has with so much more, and the reader."""
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


def longest_first(facts: Facts) -> IntArray:
    """Every partition where it makes the least full, the heaviest first (Graham 1969)."""
    target = np.full(len(facts.class_of), -1)
    chosen = facts.read
    if len(facts.reads) == 1 and facts.members == len(facts.readers[0]) and not facts.has_tiers:
        target[chosen] = _by_heap(facts.weight[chosen].tolist(), facts.members)
        return target
    return completed(facts, target)


def completed(facts: Facts, target: IntArray) -> IntArray:
    """The assignment with all that has no member placed so."""
    target = target.copy()
    chosen = facts.read[target[facts.read] < 0]
    counts = np.bincount(target + 1, minlength=facts.members + 1)[1:]
    full = LeastFull(facts, facts.weights.loads(target), counts)
    found = []
    for c, weight in zip(
        facts.class_of[chosen].tolist(), facts.weight[chosen].tolist(), strict=True
    ):
        member = full.reader(c, weight)[1]
        full.give(member, weight)
        found.append(member)
    target[chosen] = found
    return target


def _by_heap(weights: Iterable[int], members: int) -> list[int]:
    """The same for members who read all and are alike."""
    heap = [(0, 0, member) for member in range(members)]
    found = []
    for weight in weights:
        load, count, member = heap[0]
        heapreplace(heap, (load + weight, count + 1, member))
        found.append(member)
    return found
