"""Kafka's sticky assignment of members who subscribe to different topics."""

from collections.abc import Iterator
from heapq import heapify, heapreplace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, IntArray, Problem, classes_of
from optimizer.strategies.kafka import NO_RACK, Racks, are_subscribed, partitions_of, string_ranks
from optimizer.strategies.sticky.previous import Previous, far_owned, generations_of, refuse_beyond
from optimizer.strategies.sticky.reassignment import Reassigner, most_each

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
        """The member of `next` among those in the racks `near` or in none; NOBODY without any."""
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


def assign_general(
    problem: Problem, order: IntArray, previous: Previous, racks: Racks | None
) -> IntArray:
    """Keep all, fill up, then even out (AbstractStickyAssignor.GeneralAssignmentBuilder).

    Topics with few subscribers come first. The balance that is reached is a local one, and it is
    given up again where it isn't better than what filling up gave (D5, D6 of Kafka's defects: not
    optimal). `order` is that of the HashMap of members. Raises StrategyError where Kafka throws.
    """
    partitions = _in_order(problem)
    if racks is not None and not racks.pay(np.arange(len(order)), partitions):
        racks = None
    kept = _keep(problem, previous, racks)
    owner = kept.owner
    unassigned = partitions[owner[partitions] == NOBODY]
    starts_empty = not (owner != NOBODY).any()
    rank = string_ranks(problem.member_ids)
    _fill(problem, owner, unassigned, rank, racks)
    classes = classes_of(problem)
    shared = np.diff(classes.offsets)[classes.of_partition] > 1
    fixed = _is_fixed(problem, owner, shared)
    filled = owner.copy()
    search = Reassigner(problem, owner, rank, fixed, _stale_owner(problem, order))
    if not kept.revoked:
        search.run(unassigned[shared[unassigned]])
    moved = search.run(partitions[shared[partitions]])
    if moved and not starts_empty and _score(owner, fixed) >= _score(filled, fixed):
        return filled
    return owner


class _StillOwned(NamedTuple):
    """Owners who still read what they own; `revoked` tells whether anybody had to give some up."""

    owner: IntArray
    revoked: bool


def _in_order(problem: Problem) -> IntArray:
    """All partitions that are read: topics by number of subscribers and name."""
    classes = classes_of(problem)
    of_topic = classes.of_topic
    readers = np.diff(classes.offsets)[of_topic]
    topics = np.lexsort((string_ranks(problem.topics), readers))
    return partitions_of(problem, topics[of_topic[topics] >= 0])


def _keep(problem: Problem, previous: Previous, racks: Racks | None) -> _StillOwned:
    owner = previous.owner.copy()
    owned = np.flatnonzero(owner != NOBODY)
    classes = classes_of(problem).of_topic[previous.topic_of[owned]]
    lost = owned[~are_subscribed(problem, owner[owned], classes)]
    if racks is not None:
        lost = np.concatenate([lost, far_owned(problem, owner, racks)])
    owner[lost] = NOBODY
    refuse_beyond(problem, previous, owner)
    return _StillOwned(owner[: problem.partition_count], bool(len(lost)))


def _fill(
    problem: Problem, owner: IntArray, unassigned: IntArray, rank: IntArray, racks: Racks | None
) -> None:
    """Give each partition to the least loaded subscriber, if one is near then to one of those."""
    loads = np.bincount(owner[owner != NOBODY], minlength=len(rank))
    lightest = LeastLoaded(problem, loads, np.argsort(rank))
    if racks is not None:
        near = [np.flatnonzero(row).tolist() for row in racks.holds]
        for p, c, s in _plain_rows(unassigned, classes_of(problem).of_partition, racks.set_of):
            owner[p] = lightest.next_near(c, near[s], racks)
        unassigned = unassigned[owner[unassigned] == NOBODY]
    for p, c in _plain_rows(unassigned, classes_of(problem).of_partition):
        owner[p] = lightest.next(c)


def _plain_rows(partitions: IntArray, *columns: IntArray) -> Iterator[tuple[int, ...]]:
    """Partitions with a value from each column, as plain numbers."""
    return zip(
        partitions.tolist(), *(column[partitions].tolist() for column in columns), strict=True
    )


def _is_fixed(problem: Problem, owner: IntArray, shared: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Members with all that they could get and nothing that another member could have."""
    members = len(problem.member_ids)
    loads = np.bincount(owner[owner != NOBODY], minlength=members)
    sharing = np.bincount(owner[shared & (owner != NOBODY)], minlength=members)
    return np.asarray((loads >= most_each(problem)) & (sharing == 0))


def _stale_owner(problem: Problem, order: IntArray) -> IntArray:
    """The member of the newest older generation who claims each partition, or NOBODY."""
    stale_owner = np.full(problem.partition_count, NOBODY)
    generations = generations_of(problem)
    member, partition = problem.claims
    stale = generations[member] < generations.max()
    if stale.any():
        member, partition = member[stale], partition[stale]
        worst_first = np.lexsort((-np.argsort(order)[member], generations[member]))
        stale_owner[partition[worst_first]] = member[worst_first]
    return stale_owner


def _score(owner: IntArray, fixed: NDArray[np.bool_]) -> int:
    """Sum of the differences of load over all pairs of members, as a Java int (getBalanceScore)."""
    loads = np.sort(np.bincount(owner[owner != NOBODY], minlength=len(fixed))[~fixed])
    weights = 2 * np.arange(len(loads)) - len(loads) + 1
    return int((loads @ weights).astype(np.int32))
