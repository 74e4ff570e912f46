"""Kafka's RangeAssignor: contiguous ranges, topic by topic."""

import numpy as np

from optimizer.model import NOBODY, Answer, IntArray, Problem, classes_of, settled
from optimizer.strategies.kafka import member_info_order, racks_of
from optimizer.strategies.range.rack_passes import assign_near


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
    return settled(_fill(near, problem, readers))


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
    return settled(contiguous_ranges(problem))
