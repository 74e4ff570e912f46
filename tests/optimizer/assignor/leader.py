"""A rebalance without a broker: what kafka-python hands to the leader, and what comes of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from kafka.protocol.consumer.metadata import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)

from optimizer.assignor.plan_assignor import PlanAssignor

GROUP = "orders-group"
Owned = dict[str, list[tuple[str, int]]]


class Cluster:
    """The metadata of a cluster: the number of partitions of each topic."""

    def __init__(self, topics: Mapping[str, int]) -> None:
        self._counts = topics

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self._counts[topic])) if topic in self._counts else None


class Joined(NamedTuple):
    """A member of a JoinGroupResponse, its metadata decoded."""

    member_id: str
    group_instance_id: str | None
    metadata: Any


def dynamic_id(client_id: str, number: int = 1) -> str:
    """A member id as a coordinator makes it."""
    return f"{client_id}-{UUID(int=number)}"


def joined(
    member_id: str,
    topics: Sequence[str],
    owned: Mapping[str, Sequence[int]] | None = None,
    *,
    instance_id: str | None = None,
    generation: int = -1,
    user_data: bytes | None = b"",
    version: int = 3,
) -> Joined:
    """A member whose assignor may be anybody's."""
    subscription = ConsumerProtocolSubscription(
        version=version,
        topics=list(topics),
        user_data=user_data,
        owned_partitions=[
            ConsumerProtocolSubscription.TopicPartition(topic=topic, partitions=list(partitions))
            for topic, partitions in (owned or {}).items()
        ],
        generation_id=generation,
        rack_id=None,
    )
    return Joined(member_id, instance_id, over_the_wire(subscription))


def over_the_wire(subscription: Any) -> Any:
    return ConsumerProtocolSubscription.decode(subscription.encode())


def owned(assignments: Mapping[str, Any]) -> Owned:
    """Partitions by member id, after a way over the wire."""
    decoded = {
        member_id: ConsumerProtocolAssignment.decode(assignment.encode())
        for member_id, assignment in assignments.items()
    }
    return {
        member_id: sorted((tp.topic, tp.partition) for tp in assignment.partitions())
        for member_id, assignment in decoded.items()
    }


class Consumer:
    """A member with a PlanAssignor, as kafka-python drives it."""

    def __init__(self, member_id: str, topics: Sequence[str], plan: str, **options: Any) -> None:
        self.member_id, self.topics = member_id, topics
        self.instance_id: str | None = options.pop("instance_id", None)
        self.assignor = PlanAssignor(plan, GROUP, **options)

    def join(self) -> Joined:
        metadata = over_the_wire(self.assignor.metadata(set(self.topics)))
        return Joined(self.member_id, self.instance_id, metadata)

    def take(self, assignment: Any, generation: int) -> None:
        decoded = ConsumerProtocolAssignment.decode(assignment.encode())
        self.assignor.on_assignment(decoded, generation)


def rebalance(consumers: Sequence[Consumer], cluster: Cluster, generation: int) -> Owned:
    """One round, led by the first."""
    present = [consumer.join() for consumer in consumers]
    assignments = consumers[0].assignor.assign(cluster, present)
    for consumer in consumers:
        consumer.take(assignments[consumer.member_id], generation)
    return owned(assignments)
