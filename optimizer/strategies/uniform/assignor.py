"""Kafka's UniformAssignor, which the coordinator runs (KIP-848)."""

from collections.abc import Iterator

import numpy as np

from optimizer.model import NOBODY, Answer, IntArray, Problem, settled
from optimizer.strategies.kafka import (
    Uuid,
    all_same,
    capacity_of_copy,
    hash_map_order,
    in_hash_order,
    partitions_of,
)
from optimizer.strategies.uniform.heterogeneous import (
    assign_heterogeneous,
    subscribed_order,
    topic_ids,
)

_ByTopic = dict[int, dict[int, int]]


def assign_homogeneous(problem: Problem, order: IntArray, *, extras_to_owners: bool) -> IntArray:
    """Keep what fits in a quota, then fill up (UniformHomogeneousAssignmentBuilder, KIP-848).

    `order` is that of the HashMap of members. Each gets ⌊P/M⌋ partitions and P mod M members one
    more: those who own more, then the last ones (`extras_to_owners`, since Kafka 4.1), or just the
    first ones, also if others own partitions (up to 4.0, KAFKA-18688).
    """
    target = np.full(problem.partition_count, NOBODY)
    ids = topic_ids(problem)
    topics = subscribed_order(problem, ids, int(problem.member_subscription[order[0]]))
    if not len(topics):
        return target
    subscribed = set(topics.tolist())
    read = partitions_of(problem, topics)
    target[read] = np.maximum(problem.owner[read], NOBODY)
    owned = np.bincount(target[target != NOBODY], minlength=len(order))
    quotas = _quotas(len(read), order, owned, extras_to_owners=extras_to_owners)
    unassigned = [read[target[read] == NOBODY]]
    crowded = order[owned[order] > quotas[order]]
    for member, claims in _claims_of(problem, crowded):
        ordered = _as_iterated(claims, ids)
        surplus = [p for t, p in ordered if t in subscribed][quotas[member] :]
        target[surplus] = NOBODY
        unassigned.append(np.array(surplus, np.int64))
    missing = np.maximum(quotas - owned, 0)[order]
    target[np.concatenate(unassigned)] = np.repeat(order, missing)
    return target


def _quotas(
    partitions: int, order: IntArray, owned: IntArray, *, extras_to_owners: bool
) -> IntArray:
    """How many partitions each member may have."""
    members = len(order)
    low, extra = divmod(partitions, members)
    quotas = np.full(members, low)
    if not extras_to_owners:
        quotas[order[:extra]] += 1
        return quotas
    for place, count in enumerate(owned[order].tolist()):
        if extra and (count > low or members - place <= extra):
            quotas[order[place]] += 1
            extra -= 1
    return quotas


def _claims_of(problem: Problem, members: IntArray) -> Iterator[tuple[int, _ByTopic]]:
    """What each of the members owns: the index of each partition by topic and number.

    All is in the order in which it was claimed.
    """
    if not len(members):
        return
    claimant, partition = problem.claims
    standing = problem.owner[partition] == claimant
    claimant, partition = claimant[standing], partition[standing]
    by_member = np.argsort(claimant, kind="stable")
    claimant, partition = claimant[by_member], partition[by_member]
    topic = problem.topic_of[partition]
    number = partition - problem.topic_offsets[topic]
    starts, ends = (np.searchsorted(claimant, members, side).tolist() for side in ("left", "right"))
    claims = list(zip(topic.tolist(), number.tolist(), partition.tolist(), strict=True))
    for member, start, end in zip(members.tolist(), starts, ends, strict=True):
        by_topic: _ByTopic = {}
        for t, n, p in claims[start:end]:
            by_topic.setdefault(t, {})[n] = p
        yield member, by_topic


def _as_iterated(claims: _ByTopic, ids: list[Uuid]) -> Iterator[tuple[int, int]]:
    """Topics and partitions of a current target in the order that Java gives them.

    It is a HashMap by topic id, filled in the order of the claims, of copied HashSets.
    """
    for t in in_hash_order(claims, lambda t: ids[t].hash_code(), ids.__getitem__):
        capacity = capacity_of_copy(len(claims[t]))
        for number in in_hash_order(claims[t], int, int, capacity):
            yield t, claims[t][number]


def assign_uniform(problem: Problem) -> Answer:
    """The answer of Kafka 4.1 to 4.3.1 (org.apache.kafka…group.assignor.UniformAssignor).

    The current target is what each member owns by `problem.owner`. Racks aren't examined.
    """
    return _assign(problem, extras_to_owners=True)


def assign_uniform_4_0(problem: Problem) -> Answer:
    """The answer of Kafka up to 4.0, which moves more than it has to (KAFKA-18688)."""
    return _assign(problem, extras_to_owners=False)


def _assign(problem: Problem, *, extras_to_owners: bool) -> Answer:
    if not len(problem.member_ids):
        return settled(np.full(problem.partition_count, NOBODY))
    order = hash_map_order(problem)
    if all_same(problem):
        return settled(assign_homogeneous(problem, order, extras_to_owners=extras_to_owners))
    return settled(assign_heterogeneous(problem, order))
