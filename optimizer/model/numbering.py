"""From names to arrays: a `Group` becomes a `Problem`."""

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray, Reals
from optimizer.model.group import Group, Member, Owned, check_group
from optimizer.model.problem import NOBODY, KafkaFacts, Problem


class Ownership(NamedTuple):
    """The claims of a group, settled.

    `owner` has a claimant for each partition or NOBODY; `outranked` counts the partitions that an
    older generation claimed as well, `cancelled` those that two claimants of one generation claim.
    """

    owner: IntArray
    outranked: int
    cancelled: int


def resolve(
    partition: IntArray, claimant: IntArray, generation: IntArray, partitions: int
) -> Ownership:
    """Settle claims, given as three arrays of one length, in any order.

    The claim of the highest generation stands; claimants of one generation cancel each other out,
    and the partition belongs to nobody (KAFKA-12984 and KAFKA-14639, AbstractStickyAssignor).
    A claim that is stated twice is one claim.
    """
    owner = np.full(partitions, NOBODY)
    owner[partition] = claimant
    if len(partition) == np.count_nonzero(owner != NOBODY):
        return Ownership(owner, 0, 0)
    return _resolve_conflicts(partition, claimant, generation, owner)


def _resolve_conflicts(
    partition: IntArray, claimant: IntArray, generation: IntArray, owner: IntArray
) -> Ownership:
    newest_first = np.lexsort((claimant, -generation, partition))
    partition, claimant, generation = (
        column[newest_first] for column in (partition, claimant, generation)
    )
    first = np.flatnonzero(np.r_[True, partition[1:] != partition[:-1]])
    best_of = np.repeat(first, np.diff(np.r_[first, len(partition)]))
    rival = claimant != claimant[best_of]
    peer = rival & (generation == generation[best_of])
    cancelled = np.unique(partition[peer])
    outranked = np.setdiff1d(partition[rival], cancelled)
    owner[partition[first]] = claimant[first]
    owner[cancelled] = NOBODY
    return Ownership(owner, len(outranked), len(cancelled))


class NumberedGroup(NamedTuple):
    """A group as a problem, and what was left out or settled on the way, in sentences."""

    problem: Problem
    notes: list[str]


def problem_of(group: Group, owned: Owned | None = None) -> NumberedGroup:
    """Give every name its index; `group` has been checked, which told what its members own."""
    leader_order = _ranks([member.member_id for member in group.members])
    members = _in_order(group.members, leader_order)
    topics = sorted(group.topics)
    offsets = np.cumsum([0, *map(group.topics.__getitem__, topics)])
    number = dict(zip(topics, range(len(topics)), strict=True))
    member_subscription, subscriptions, vanished = _subscriptions(members, number)
    generations = np.array(
        [-1 if member.generation is None else member.generation for member in members], np.int64
    )
    claims = _claims(owned or check_group(group), leader_order, _ranks([*group.topics]), offsets)
    (claimant, partition), beyond, impossible = claims
    ownership = resolve(partition, claimant, generations[claimant], int(offsets[-1]))
    problem = Problem(
        member_ids=[member.member_id for member in members],
        topics=topics,
        topic_offsets=offsets,
        member_subscription=member_subscription,
        subscriptions=subscriptions,
        owner=ownership.owner,
        racks=[member.rack for member in members],
        hosts=_hosts(members),
        leader_racks=_leader_racks(group, topics),
        replica_racks=_replica_racks(group, topics),
        kafka=KafkaFacts(
            claims=(claimant, partition),
            leader_order=leader_order,
            instance_ids=[member.instance_id for member in members],
            client_ids=[member.client_id for member in members],
            generations=generations,
            topic_ids=[group.topic_ids.get(topic) for topic in topics],
            vanished=vanished,
            beyond=beyond,
        ),
        weights=_weights(group, topics),
        capacities=_capacities(members),
    )
    notes = [
        *_vanished_topics(vanished or ()),
        *settlement_notes(ownership, impossible),
        *rack_notes(problem),
    ]
    return NumberedGroup(problem, notes)


def _ranks(names: list[str]) -> IntArray:
    """The index of each name when they are sorted."""
    ranks = np.arange(len(names))
    if names != sorted(names):
        ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return ranks


def _in_order(members: Sequence[Member], ranks: IntArray) -> Sequence[Member]:
    return members if _ascends(ranks) else [members[at] for at in ranks.argsort().tolist()]


def _ascends(numbers: IntArray) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def _subscriptions(
    members: Sequence[Member], number: dict[str, int]
) -> tuple[IntArray, list[IntArray], list[tuple[str, ...]] | None]:
    """Members who list the same topics share a subscription; topics of no cluster come apart."""
    # Members of one subscription often share the very list, which is then read once.
    lists = [member.topics for member in members]
    ids = [*map(id, lists)]
    seen: dict[tuple[str, ...], int] = {}
    index = {
        at: seen.setdefault(tuple(topics), len(seen))
        for at, topics in dict(zip(ids, lists, strict=True)).items()
    }
    of_member = np.fromiter(map(index.__getitem__, ids), np.int64, len(ids))
    sizes = [*map(len, seen)]
    flat = np.fromiter(map(number.get, chain.from_iterable(seen), repeat(-1)), np.int64, sum(sizes))
    ends = np.cumsum([0, *sizes]).tolist()
    subscriptions = [flat[start:end] for start, end in pairwise(ends)]
    if flat.min(initial=0) >= 0:
        return of_member, [*map(_each_once, subscriptions)], None
    vanished = [tuple(topic for topic in topics if topic not in number) for topics in seen]
    return of_member, [_each_once(topics[topics >= 0]) for topics in subscriptions], vanished


def _each_once(topics: IntArray) -> IntArray:
    """The topics in their order without those that stand there a second time."""
    if _ascends(topics):
        return topics
    first = np.unique(topics, return_index=True)[1]
    return topics if len(first) == len(topics) else topics[np.sort(first)]


class _Claims(NamedTuple):
    """Claims (members, partitions), those beyond a topic's count, and how many are ignored."""

    existing: tuple[IntArray, IntArray]
    beyond: tuple[IntArray, IntArray, IntArray] | None
    impossible: int


def _claims(
    owned: Owned, member_ranks: IntArray, topic_ranks: IntArray, offsets: IntArray
) -> _Claims:
    """Claims by sorted members and topics; the ranks are those that the group's own have there."""
    claimant, part = member_ranks.repeat(owned.counts), owned.numbers
    topic = np.append(topic_ranks, -1)[owned.topics]
    if not _ascends(member_ranks):
        order = claimant.argsort(kind="stable")
        claimant, topic, part = claimant[order], topic[order], part[order]
    exists = (topic >= 0) & (part < np.append(np.diff(offsets), 0)[topic])
    if exists.all():
        return _Claims((claimant, offsets[topic] + part), None, 0)
    beyond = (topic >= 0) & ~exists
    return _Claims(
        (claimant[exists], offsets[topic[exists]] + part[exists]),
        (claimant[beyond], topic[beyond], part[beyond]) if beyond.any() else None,
        int(np.count_nonzero(~exists)),
    )


def _replica_racks(group: Group, topics: Sequence[str]) -> list[tuple[str, ...]] | None:
    if not group.replica_racks:
        return None
    return [
        tuple(racks or ())
        for topic in topics
        for racks in group.replica_racks.get(topic, [()] * group.topics[topic])
    ]


def _hosts(members: Sequence[Member]) -> list[str | None] | None:
    hosts = [member.host for member in members]
    return hosts if any(hosts) else None


def _leader_racks(group: Group, topics: Sequence[str]) -> list[str | None] | None:
    if not group.leader_racks:
        return None
    return [
        rack
        for topic in topics
        for rack in group.leader_racks.get(topic, [None] * group.topics[topic])
    ]


def _weights(group: Group, topics: Sequence[str]) -> Reals | None:
    """The weight of each partition, NaN where it isn't known; numpy makes it of None."""
    if not group.weights:
        return None
    unknown = (None,)
    by_topic = (group.weights.get(topic, unknown * group.topics[topic]) for topic in topics)
    return np.array([*chain.from_iterable(by_topic)], np.float64)


def _capacities(members: Sequence[Member]) -> Reals | None:
    capacities = [member.capacity for member in members]
    return np.array(capacities, np.float64) if capacities.count(None) < len(capacities) else None


def _vanished_topics(vanished: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for topic in sorted(set(chain.from_iterable(vanished))):
        yield f"topic {topic!r} is subscribed to and isn't in the cluster: ignored"


def settlement_notes(ownership: Ownership, impossible: int) -> Iterator[str]:
    """Sentences on claims on partitions that don't exist, and on claims in conflict."""
    if impossible:
        yield f"{impossible} claims on partitions that don't exist: ignored"
    if ownership.outranked:
        yield f"{ownership.outranked} partitions claimed twice: the newer generation's claim stands"
    if ownership.cancelled:
        yield (
            f"{ownership.cancelled} partitions claimed twice in one generation: counted as unowned"
        )


def rack_notes(problem: Problem) -> Iterator[str]:
    """A sentence for racks of members and partitions that look like one rack spelled in two ways.

    They count as two, as in Kafka, which compares them exactly (KIP-881).
    """
    replicas = chain.from_iterable(set(problem.replica_racks or ()))
    spelled = {*(problem.racks or ()), *(problem.leader_racks or ()), *replicas}
    alike: dict[str, list[str]] = {}
    for rack in sorted(rack for rack in spelled if rack):
        alike.setdefault(rack.strip().casefold(), []).append(rack)
    for racks in alike.values():
        if len(racks) > 1:
            yield f"racks {', '.join(map(repr, racks))} differ for Kafka"
