"""What a leader of kafka-python's needs: to end its own rebalance, and to fall back on."""

from collections.abc import Mapping, Sequence
from typing import Any

from kafka.coordinator.assignors.sticky.sticky_assignor import (
    StickyAssignmentExecutor,
    StickyAssignorMemberMetadataV1,
)
from kafka.structs import TopicPartition as KafkaPartition

from .group import Assignment, JoiningGroup, TopicPartition


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
    """What of the target can be handed out now: no partition that somebody else still has.

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
    """What kafka-python's assignors ask of a cluster."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def topics(self) -> list[str]:
        return list(self._counts)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self._counts[topic])) if topic in self._counts else None
