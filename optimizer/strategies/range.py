"""Kafka's RangeAssignor, in consumers and in the coordinator: contiguous ranges, topic by topic."""

from collections import Counter, deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, Answer, IntArray, Problem, at_once, classes_of
from optimizer.strategies.kafka import NO_RACK, Racks, member_info_order, racks_of


def assign_near(target: IntArray, problem: Problem, readers: list[IntArray], racks: Racks) -> None:
    """Write to `target` the partitions that go to a subscriber in one of their racks.

    Topics of the same subscribers and the same number of partitions stay co-partitioned: partition
    p of all of them goes to one member. That is done for such topics even where racks don't pay
    for them, if only they pay for any topic of the group. `readers` are in MemberInfo order.
    """
    groups = list(_co_partitioned(problem, readers, racks))
    pays = [any(_pay(problem, t, readers[c], racks) for t in topics) for c, topics in groups]
    if not any(pays):
        return
    for (c, topics), pay in zip(groups, pays, strict=True):
        starts = problem.topic_offsets[topics]
        count = int(problem.topic_offsets[topics[0] + 1] - starts[0])
        partitions = starts[:, None] + np.arange(count)
        near = racks.holds[racks.set_of[partitions]].all(axis=0)
        members, racks_of_them = readers[c].tolist(), racks.of_member[readers[c]].tolist()
        quota = _Quota(*divmod(count, len(members)))
        if len(topics) > 1:
            owners = _in_step(members, racks_of_them, near, quota)
        elif pay:
            owners = _one_by_one(members, racks_of_them, near, quota)
        else:
            continue
        target[partitions] = owners


def _co_partitioned(
    problem: Problem, readers: list[IntArray], racks: Racks
) -> Iterator[tuple[int, list[int]]]:
    """Topics by class and number of partitions; those that no subscriber has a rack for are out."""
    counts = np.diff(problem.topic_offsets).tolist()
    named = [bool((racks.of_member[members] != NO_RACK).any()) for members in readers]
    groups: dict[tuple[int, int], list[int]] = {}
    for t, c in enumerate(classes_of(problem).of_topic.tolist()):
        if c >= 0 and counts[t] and named[c]:
            groups.setdefault((c, counts[t]), []).append(t)
    for (c, _), topics in groups.items():
        yield c, topics


def _pay(problem: Problem, topic: int, members: IntArray, racks: Racks) -> bool:
    start, end = problem.topic_offsets[topic : topic + 2].tolist()
    return racks.pay(members, np.arange(start, end))


class _Quota:
    """`low` partitions for each member, and one more for as many as there are `extra`."""

    def __init__(self, low: int, extra: int) -> None:
        self._low = low
        self._extra = extra
        self._taken: Counter[int] = Counter()

    def room(self, member: int) -> int:
        """Partitions that the member may still take; what is 0 stays 0."""
        return max(0, self._low + (self._extra > 0) - self._taken[member])

    def take(self, member: int, count: int = 1) -> None:
        self._taken[member] += count
        if self._taken[member] > self._low:
            self._extra -= 1


def _in_step(
    members: list[int], racks: list[int], near: NDArray[np.bool_], quota: _Quota
) -> IntArray:
    """Owner of each partition: the first member with room that is near or names no rack.

    `near[p, r]`: partition p of every topic has a replica in rack r.
    """
    queues: dict[int, deque[int]] = {}
    for place, rack in enumerate(racks):
        queues.setdefault(rack, deque()).append(place)
    owners = np.full(len(near), NOBODY)
    for p, row in enumerate(near):
        first = len(members)
        for rack in (NO_RACK, *np.flatnonzero(row).tolist()):
            queue = queues.get(rack, deque())
            while queue and not quota.room(members[queue[0]]):
                queue.popleft()
            first = min(first, queue[0]) if queue else first
        if first < len(members):
            owners[p] = members[first]
            quota.take(members[first])
    return owners


def _one_by_one(
    members: list[int], racks: list[int], near: NDArray[np.bool_], quota: _Quota
) -> IntArray:
    """Owner of each partition: every member takes the first that are near, as many as it may."""
    owners = [NOBODY] * len(near)
    lines = {rack: deque(np.flatnonzero(near[:, rack]).tolist()) for rack in set(racks)}
    lines[NO_RACK] = deque(range(len(near)))
    for member, rack in zip(members, racks, strict=True):
        room = quota.room(member)
        taken = 0
        line = lines[rack]
        while line and taken < room:
            p = line.popleft()
            if owners[p] == NOBODY:
                owners[p] = member
                taken += 1
        quota.take(member, taken)
    return np.array(owners, np.int64)


def assign_ranges(problem: Problem) -> Answer:
    """The answer of org.apache.kafka.clients.consumer.RangeAssignor, racks included (KIP-881).

    For each topic on its own: its subscribers in MemberInfo order take ⌊P/k⌋ partitions each, the
    first P mod k of them one more. Where racks pay for any topic, partitions with a near
    subscriber go out first, and what is left in ranges.
    """
    racks = racks_of(problem)
    readers = _readers(problem)
    near = np.full(problem.partition_count, NOBODY)
    if racks is not None:
        assign_near(near, problem, readers, racks)
    return at_once(_fill(near, problem, readers))


def contiguous_ranges(problem: Problem) -> IntArray:
    """Ranges without a look at racks."""
    return _fill(np.full(problem.partition_count, NOBODY), problem, _readers(problem))


def _readers(problem: Problem) -> list[IntArray]:
    """The members of each class in MemberInfo order."""
    classes = classes_of(problem)
    rank = np.argsort(member_info_order(problem))
    readers = [classes.members_of(c) for c in range(len(classes))]
    return [members[np.argsort(rank[members])] for members in readers]


def _fill(target: IntArray, problem: Problem, readers: list[IntArray]) -> IntArray:
    """Hand out in ranges what `target` leaves to nobody."""
    offsets = problem.topic_offsets.tolist()
    for t, c in enumerate(classes_of(problem).of_topic.tolist()):
        if c >= 0:
            _fill_topic(target[offsets[t] : offsets[t + 1]], readers[c])
    return target


def _fill_topic(target: IntArray, members: IntArray) -> None:
    low, extra = divmod(len(target), len(members))
    rest = target == NOBODY
    if rest.all():
        counts = np.full(len(members), low)
        counts[:extra] += 1
    else:
        taken = np.bincount(target[~rest], minlength=int(members.max()) + 1)[members]
        extra -= int(np.count_nonzero(taken > low))
        counts = low - taken
        counts[np.flatnonzero(taken <= low)[:extra]] += 1
        counts = np.maximum(counts, 0)
    target[rest] = np.repeat(members, counts)


def assign_server_range(problem: Problem) -> Answer:
    """Contiguous ranges, topic by topic; neither racks nor owners are examined (KAFKA-16944)."""
    return at_once(contiguous_ranges(problem))
