"""From names to arrays: a `Group` becomes a `Problem`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray
from optimizer.model.claims import Ownership, resolve
from optimizer.model.group import Group, Member, unzipped
from optimizer.model.problem import KafkaFacts, Problem


class NumberedGroup(NamedTuple):
    """A group as a problem, and what was left out or settled on the way, in sentences."""

    problem: Problem
    notes: list[str]


def problem_of(group: Group) -> NumberedGroup:
    """Give every name its index; `group` has been checked."""
    members = sorted(group.members, key=lambda member: member.member_id)
    topics = sorted(group.topics)
    offsets = np.cumsum([0, *(group.topics[topic] for topic in topics)])
    number = {topic: index for index, topic in enumerate(topics)}
    member_subscription, subscriptions, vanished = _subscriptions(members, number)
    generations = np.array([_generation(member) for member in members], np.int64)
    (claimant, partition), beyond, impossible = _claims(members, number, offsets)
    ownership = resolve(partition, claimant, generations[claimant], int(offsets[-1]))
    problem = Problem(
        member_ids=[member.member_id for member in members],
        topics=topics,
        topic_offsets=offsets,
        member_subscription=member_subscription,
        subscriptions=subscriptions,
        owner=ownership.owner,
        racks=[member.rack for member in members],
        leader_racks=_leader_racks(group, topics),
        replica_racks=_replica_racks(group, topics),
        kafka=KafkaFacts(
            claims=(claimant, partition),
            leader_order=_leader_order(group.members),
            instance_ids=[member.instance_id for member in members],
            generations=generations,
            topic_ids=[group.topic_ids.get(topic) for topic in topics],
            vanished=vanished,
            beyond=beyond,
        ),
    )
    notes = [
        *_vanished_topics(vanished or ()),
        *settlement_notes(ownership, impossible),
        *rack_notes(problem),
    ]
    return NumberedGroup(problem, notes)


def _generation(member: Member) -> int:
    return -1 if member.generation is None else member.generation


def _subscriptions(
    members: Sequence[Member], number: dict[str, int]
) -> tuple[IntArray, list[IntArray], list[tuple[str, ...]] | None]:
    """Members who list the same topics share a subscription; topics of no cluster come apart."""
    # Members of one subscription often share the very list, which is then read once.
    lists = {id(member.topics): member.topics for member in members}
    seen: dict[tuple[str, ...], int] = {}
    index = {at: seen.setdefault(tuple(topics), len(seen)) for at, topics in lists.items()}
    member_subscription = np.array([index[id(member.topics)] for member in members], np.int64)
    subscriptions = [
        np.array([number[topic] for topic in dict.fromkeys(topics) if topic in number], np.int64)
        for topics in seen
    ]
    vanished = [tuple(topic for topic in topics if topic not in number) for topics in seen]
    return member_subscription, subscriptions, vanished if any(vanished) else None


class _Claims(NamedTuple):
    """Claims (members, partitions), those beyond a topic's count, and how many are ignored."""

    existing: tuple[IntArray, IntArray]
    beyond: tuple[IntArray, IntArray, IntArray] | None
    impossible: int


def _claims(members: Sequence[Member], number: dict[str, int], offsets: IntArray) -> _Claims:
    claimant = np.repeat(np.arange(len(members)), [len(member.owned) for member in members])
    names, numbers = unzipped(members)
    topic = np.fromiter(map(number.get, names, repeat(-1)), np.int64, len(names))
    part = np.fromiter(numbers, np.int64, len(numbers))
    exists = (topic >= 0) & (part < np.append(np.diff(offsets), 0)[topic])
    partition = offsets[:-1][topic[exists]] + part[exists]
    beyond = (topic >= 0) & ~exists
    return _Claims(
        (claimant[exists], partition),
        (claimant[beyond], topic[beyond], part[beyond]) if beyond.any() else None,
        int(np.count_nonzero(~exists)),
    )


def _leader_order(members: Sequence[Member]) -> IntArray:
    by_id = sorted(range(len(members)), key=lambda index: members[index].member_id)
    order = np.empty(len(members), np.int64)
    order[by_id] = np.arange(len(members))
    return order


def _replica_racks(group: Group, topics: Sequence[str]) -> list[tuple[str, ...]] | None:
    if not group.replica_racks:
        return None
    return [
        tuple(racks)
        for topic in topics
        for racks in group.replica_racks.get(topic, [()] * group.topics[topic])
    ]


def _leader_racks(group: Group, topics: Sequence[str]) -> list[str | None] | None:
    if not group.leader_racks:
        return None
    return [
        rack
        for topic in topics
        for rack in group.leader_racks.get(topic, [None] * group.topics[topic])
    ]


def _vanished_topics(vanished: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for topic in sorted(set(chain.from_iterable(vanished))):
        yield f"topic {topic!r} is subscribed to and isn't in the cluster: ignored"


def settlement_notes(ownership: Ownership, impossible: int) -> Iterator[str]:
    """What was done about claims on partitions that don't exist, and about claims in conflict."""
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
            yield f"racks {', '.join(map(repr, racks))} are different ones to Kafka"
