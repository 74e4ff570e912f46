"""Place partitions one by one, each with the reader that it makes least full."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heapreplace

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.facts import Facts

Entry = tuple[int, int, int]
"""Level and number of partitions of a member, and the member: the first is the least full."""


class LeastFull:
    """Finds the reader of a class that a partition makes least full, while loads only grow.

    `loads` and `counts` are those of all members, and are kept up to date. Readers of a class of
    one capacity stand in a heap by what they had when last looked at, which is no more than they
    have: only its top has to be right.
    """

    def __init__(self, facts: Facts, loads: list[int], counts: list[int]) -> None:
        self._readers = facts.readers
        self._capacity = facts.weights.capacity.tolist()
        self._parts = facts.weights.parts
        self.loads, self.counts = loads, counts
        self._heaps: dict[int, list[tuple[int, list[Entry]]]] = {}

    def reader(self, c: int, weight: int) -> tuple[int, int]:
        """The level that the best reader of class c has with so much more, and the reader."""
        heaps = self._heaps.get(c)
        if heaps is None:
            heaps = self._heaps[c] = self._by_capacity(c)
        parts, best = self._parts, (-1, -1)
        for capacity, heap in heaps:
            load, _, member = self._top(heap)
            level = -(-(load + weight) * parts // capacity)
            if best[1] < 0 or level < best[0]:
                best = level, member
        return best

    def give(self, member: int, weight: int) -> None:
        """Let a member have a partition of that weight."""
        self.loads[member] += weight
        self.counts[member] += 1

    def _top(self, heap: list[Entry]) -> Entry:
        loads, counts = self.loads, self.counts
        while True:
            load, count, member = heap[0]
            if load == loads[member] and count == counts[member]:
                return heap[0]
            heapreplace(heap, (loads[member], counts[member], member))

    def _by_capacity(self, c: int) -> list[tuple[int, list[Entry]]]:
        by_capacity: dict[int, list[Entry]] = {}
        for member in self._readers[c]:
            entry = (self.loads[member], self.counts[member], member)
            by_capacity.setdefault(self._capacity[member], []).append(entry)
        for heap in by_capacity.values():
            heapify(heap)
        return sorted(by_capacity.items())


def longest_first(facts: Facts) -> IntArray:
    """Every partition where it makes the least full, the heaviest first (Graham 1969)."""
    target = np.full(len(facts.class_of), -1)
    members = facts.members
    place(facts, target, facts.read.tolist(), LeastFull(facts, [0] * members, [0] * members))
    return target


def place(facts: Facts, target: IntArray, partitions: Iterable[int], least_full: LeastFull) -> None:
    """Place partitions, in the order given."""
    chosen = [*partitions]
    classes, weights = facts.class_of[chosen].tolist(), facts.weight[chosen].tolist()
    found = []
    for c, weight in zip(classes, weights, strict=True):
        member = least_full.reader(c, weight)[1]
        least_full.give(member, weight)
        found.append(member)
    target[chosen] = found
