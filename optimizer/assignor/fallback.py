"""Assignments that no plan gives, and how a leader of kafka-python's ends its own rebalance."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kafka.coordinator.assignors.sticky.sticky_assignor import (
    StickyAssignmentExecutor,
    StickyAssignorMemberMetadataV1,
)
from kafka.structs import TopicPartition as KafkaPartition

from .group import Assignment, JoiningGroup, TopicPartition
from .source import run_with_timeout

try:
    from .. import Group, Member, assign  # noqa: TID252 - nobody else's `optimizer`
except ImportError:  # evenfleet_assignor, which stands alone, so that it needs no numpy
    assign = None  # type: ignore[assignment]

STICKY_WITHIN = 3.0
"""Seconds: the group waits, and Kafka's sticky strategy is quadratic in unlucky cases."""

log = logging.getLogger(__name__)


def without_plan(group: JoiningGroup) -> Assignment:
    """Kafka's sticky assignment of the group, or a plain one if that can't be had in time."""
    try:
        return run_with_timeout(STICKY_WITHIN, lambda: _sticky(group))
    except Exception as error:
        log.warning("no sticky assignment (%s): each partition goes to the least loaded", error)
        return _least_loaded(group)


def _sticky(group: JoiningGroup) -> Assignment:
    """Members that read nothing take no part: Kafka's strategy can give partitions to such."""
    held: dict[str, list[tuple[str, int]]] = {member.member_id: [] for member in group.members}
    for (topic, partition), holders in group.holders.items():
        if len(holders) == 1 and partition < group.topics.get(topic, 0):
            held[next(iter(holders))].append((topic, partition))
    if assign is None:
        return own_sticky(group, held)
    members = [
        Member(member.member_id, sorted(member.topics), held[member.member_id])
        for member in group.members
        if member.topics
    ]
    return assign(Group(group.topics, members), "sticky").assignment


def _least_loaded(group: JoiningGroup) -> Assignment:
    return _deal_out(
        {member.member_id: member.topics for member in group.members},
        {topic: range(count) for topic, count in group.topics.items()},
    )


def in_turns(cluster: Any, members: Iterable[Any]) -> Assignment:
    """A plain assignment of what kafka-python shows to a leader, also if other things are wrong.

    A member whose metadata can't be read, or that the cluster can't be asked for, gets nothing.
    """
    reads: dict[str, frozenset[str]] = {}
    for member in members:
        reads[member.member_id] = frozenset()
        with suppress(Exception):
            reads[member.member_id] = frozenset(member.metadata.topics)
    partitions: dict[str, Collection[int]] = {}
    for topic in sorted(frozenset[str]().union(*reads.values())):
        with suppress(Exception):
            partitions[topic] = sorted(cluster.partitions_for_topic(topic) or ())
    return _deal_out(reads, partitions)


def _deal_out(
    reads: Mapping[str, Collection[str]], partitions: Mapping[str, Collection[int]]
) -> Assignment:
    """Topic by topic: its readers take turns, the least loaded first."""
    taken: Assignment = {member: [] for member in reads}
    for topic, numbers in partitions.items():
        readers = [member for member, topics in reads.items() if topic in topics]
        readers.sort(key=lambda reader: (len(taken[reader]), reader))
        for at, partition in enumerate(numbers):
            taken[readers[at % len(readers)]].append((topic, partition))
    return taken


def keep_joining(cluster: Any) -> None:
    """Let the leader's consumer know that it is joining, until it has its own assignment.

    A leader of kafka-python 3.0 that joins because topics have changed forgets so as soon as it
    has assigned; if `poll` returns just then, for lack of time, the next one takes no notice of
    the leader's own assignment, and the consumer neither reads nor sends heartbeats any more. A
    request to join, which stands until the assignment is there, prevents that. Only the consumer's
    coordinator takes it, and of all that an assignor sees, only the cluster's metadata knows it.
    """
    for listener in getattr(cluster, "_listeners", ()):
        coordinator: Any = getattr(listener, "target", lambda: None)()
        if hasattr(coordinator, "request_rejoin"):
            coordinator.request_rejoin()


def first_round(group: JoiningGroup, target: Assignment) -> Assignment:
    """The part of the target to hand out now: no partition that another member still has.

    Who has it loses it in this round, so that it joins again and the next round hands it out.
    """
    return {
        member: [
            partition
            for partition in partitions
            if group.holders.get(partition, {member}) == {member}
        ]
        for member, partitions in target.items()
    }


def own_sticky(group: JoiningGroup, held: Mapping[str, Sequence[TopicPartition]]) -> Assignment:
    """kafka-python's sticky assignment of the members who read anything."""
    members = {
        member.member_id: StickyAssignorMemberMetadataV1(
            subscription=sorted(member.topics & group.topics.keys()),
            partitions=[
                KafkaPartition(*topic_partition) for topic_partition in held[member.member_id]
            ],
            generation=1,  # what is held was claimed by one member alone, or by the newest
        )
        for member in group.members
        if member.topics
    }
    executor = StickyAssignmentExecutor(_Topics(group.topics), members)
    executor.perform_initial_assignment()
    executor.balance()
    return {
        member: [
            (topic, partition)
            for topic, partitions in executor.get_final_assignment(member)
            for partition in partitions
        ]
        for member in members
    }


class _Topics:
    """A cluster with the two facts that kafka-python's assignors ask for."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def topics(self) -> list[str]:
        return list(self._counts)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self._counts[topic])) if topic in self._counts else None
