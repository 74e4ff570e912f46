"""Who of a topic's subscribers has least: asked again and again while loads only grow."""

from heapq import heapify, heapreplace

import numpy as np

from optimizer.model import NOBODY, IntArray, Problem, classes_of
from optimizer.strategies.kafka import NO_RACK, Racks

_ANY = -2
"""Instead of a rack: all of a class's members."""


class LeastLoaded:
    """Gives partitions to the member with the lowest (load, id) that may have them.

    Members are known by the rank of their ids in here. A heap a class (and rack) holds
    load · members + rank; an entry whose member has got more since is put right when it comes up.
    """

    def __init__(self, problem: Problem, loads: IntArray, by_rank: IntArray) -> None:
        self._classes = classes_of(problem)
        self._rank = np.argsort(by_rank)
        self._by_rank: list[int] = by_rank.tolist()
        self._loads: list[int] = loads[by_rank].tolist()
        self._heaps: dict[tuple[int, int], list[int]] = {}

    def loads(self) -> IntArray:
        """Loads by member."""
        return np.array(self._loads, np.int64)[self._rank]

    def next(self, c: int) -> int:
        """The member for a partition of class `c`; it counts as given."""
        return self._give(self._heap(c, _ANY, None))

    def next_near(self, c: int, near: list[int], racks: Racks) -> int:
        """The same among members in the racks `near` and those that name no rack; or NOBODY."""
        heaps = [self._heap(c, rack, racks) for rack in (NO_RACK, *near)]
        filled = [heap for heap in heaps if heap]
        for heap in filled:
            self._put_right(heap)
        return self._give(min(filled, key=lambda heap: heap[0])) if filled else NOBODY

    def _heap(self, c: int, rack: int, racks: Racks | None) -> list[int]:
        if (c, rack) not in self._heaps:
            members = self._classes.members_of(c)
            if racks is not None:
                members = members[racks.of_member[members] == rack]
            count = len(self._loads)
            ranks = self._rank[members].tolist()
            heap = [self._loads[rank] * count + rank for rank in ranks]
            heapify(heap)
            self._heaps[c, rack] = heap
        return self._heaps[c, rack]

    def _put_right(self, heap: list[int]) -> None:
        count = len(self._loads)
        while True:
            rank = heap[0] % count
            now = self._loads[rank] * count + rank
            if heap[0] == now:
                return
            heapreplace(heap, now)

    def _give(self, heap: list[int]) -> int:
        self._put_right(heap)
        rank = heap[0] % len(self._loads)
        self._loads[rank] += 1
        heapreplace(heap, heap[0] + len(self._loads))
        return self._by_rank[rank]
