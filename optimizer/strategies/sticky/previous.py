"""Claims that a sticky group had before, as Kafka's sticky assignors settle them."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, IntArray, Problem, StrategyError, classes_of, run_starts
from optimizer.strategies.kafka import NO_RACK, Racks


class Previous(NamedTuple):
    """Partitions of topics that the group reads, with the owner that Kafka settles on.

    `owner` and `contested` have an entry for every partition of the problem and, after those, one
    for every number that a topic doesn't have and that somebody claims; `topic_of` and `number_of`
    name them. `contested`: two members of one generation claimed it.
    """

    owner: IntArray
    contested: NDArray[np.bool_]
    topic_of: IntArray
    number_of: IntArray


def previous_of(problem: Problem, order: IntArray) -> Previous:
    """Settle the claims of members who are asked in `order` (AbstractStickyAssignor, KAFKA-14639).

    A claim of a newer generation replaces an older one; one of the same generation makes both
    void; an older one is ignored. A claim that a member states twice is one claim.
    """
    member, partition, topic_of, number_of = _claims(problem)
    read = classes_of(problem).of_topic[topic_of[partition]] >= 0
    member, partition = member[read], partition[read]
    owner = np.full(len(topic_of), NOBODY)
    owner[partition] = member
    contested = np.zeros(len(topic_of), bool)
    if np.count_nonzero(owner != NOBODY) < len(partition):
        doubtful = np.bincount(partition)[partition] > 1
        claims = member[doubtful], partition[doubtful]
        for p, rivals in _rivals(*claims, order):
            owner[p], contested[p] = _winner(rivals, generations_of(problem))
    return Previous(owner, contested, topic_of, number_of)


def _claims(problem: Problem) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Claims as (members, partitions), and topic and number of every partition in them."""
    member, partition = problem.claims
    topic_of = problem.topic_of
    number_of = np.arange(problem.partition_count) - problem.topic_offsets[:-1][topic_of]
    if problem.kafka.beyond is None:
        return member, partition, topic_of, number_of
    claimant, topic, number = problem.kafka.beyond
    names, index = np.unique(np.stack([topic, number]), axis=1, return_inverse=True)
    return (
        np.concatenate([member, claimant]),
        np.concatenate([partition, problem.partition_count + index.reshape(-1)]),
        np.concatenate([topic_of, names[0]]),
        np.concatenate([number_of, names[1]]),
    )


def _rivals(
    member: IntArray, partition: IntArray, order: IntArray
) -> Iterator[tuple[int, Iterable[int]]]:
    """The members who claim a partition, in `order`, for each partition of the claims."""
    place = np.argsort(order)
    by_partition = np.lexsort((place[member], partition))
    member, partition = member[by_partition], partition[by_partition]
    starts = run_starts(partition)
    for rivals, p in zip(np.split(member, starts[1:]), partition[starts].tolist(), strict=True):
        yield p, dict.fromkeys(rivals.tolist())


def _winner(rivals: Iterable[int], generations: IntArray) -> tuple[int, bool]:
    """Owner of a partition that members claim one after the other, and whether peers met."""
    owner = last = NOBODY
    contested = False
    for member in rivals:
        if last == NOBODY or generations[member] > generations[last]:
            owner = last = member
        elif generations[member] == generations[last]:
            owner, last, contested = NOBODY, member, True
    return owner, contested


def generations_of(problem: Problem) -> IntArray:
    if problem.kafka.generations is None:
        return np.full(len(problem.member_ids), -1)
    return problem.kafka.generations


def far_owned(problem: Problem, owner: IntArray, racks: Racks) -> IntArray:
    """Owned partitions that have no replica in their owner's rack."""
    real = np.flatnonzero(owner[: problem.partition_count] != NOBODY)
    far = real[~racks.match(owner[real], real)]
    beyond = np.arange(problem.partition_count, len(owner))
    lost = beyond[(owner[beyond] != NOBODY) & (racks.of_member[owner[beyond]] != NO_RACK)]
    return np.concatenate([far, lost])


def refuse_beyond(problem: Problem, previous: Previous, owner: IntArray) -> None:
    """Raise StrategyError if somebody keeps a partition that its topic doesn't have.

    Kafka takes such a claim for real, hands the partition out and, from there on, gives
    partitions that are owned to a second member: that is no assignment.
    """
    kept = np.flatnonzero(owner[problem.partition_count :] != NOBODY)
    if len(kept):
        at = problem.partition_count + kept[0]
        topic, number = problem.topics[previous.topic_of[at]], previous.number_of[at]
        raise StrategyError(
            f"Kafka's sticky assignors would let {problem.member_ids[owner[at]]!r} keep "
            f"{topic}-{number}, which doesn't exist, and then give owned partitions to a second "
            "member"
        )
