"""Topics that are created, grow or are deleted, and brokers that are down."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from optimizer import processes
from optimizer.model import Group
from optimizer.processes import Away, MoveCoordinator, Step
from optimizer.scenarios.event import (
    MOST_PARTITIONS,
    Event,
    NotApplicableError,
    Running,
    a_name,
    a_number,
)
from optimizer.settings import DEFAULT_LIMITS, Timeouts


class TopicEvent(Event):
    """Something that happens to a topic that a group reads."""

    topic: str

    def check_read(self, group: Group) -> None:
        """Raise NotApplicableError unless a member subscribes to the topic."""
        if not any(self.topic in member.topics for member in group.members):
            raise NotApplicableError(f"no member subscribes to topic {self.topic!r}")

    def check_there(self, group: Group) -> None:
        """Raise NotApplicableError unless a member subscribes to the topic, and it is there."""
        if self.topic not in group.topics:
            raise NotApplicableError(f"the group has no topic {self.topic!r}")
        self.check_read(group)


@dataclass(frozen=True)
class SizedTopic(TopicEvent):
    """A topic's new number of partitions."""

    topic: str = a_name("the topic")
    partitions: int = a_number("the number of partitions of {topic!r}", 1, MOST_PARTITIONS)

    form: ClassVar = ("TOPIC:PARTITIONS", "orders:48")

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield processes.Grow(at, self.topic, self.partitions)


@dataclass(frozen=True)
class Create(SizedTopic):
    """A topic that a group subscribes to, and its cluster lacked, is created."""

    names: ClassVar = ("create",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        if self.topic in group.topics:
            raise NotApplicableError(f"topic {self.topic!r} is there already")
        self.check_read(group)
        return replace(group, topics={**group.topics, self.topic: self.partitions})


@dataclass(frozen=True)
class Grow(SizedTopic):
    """A topic that a group reads gets more partitions: `partitions` in all.

    Where partitions have weights, new ones weigh as much as the others on average.
    """

    names: ClassVar = ("grow",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        self.check_there(group)
        new = self.partitions - group.topics[self.topic]
        if new < 0:
            has = f"topic {self.topic!r} has {group.topics[self.topic]} partitions"
            raise NotApplicableError(f"{has} and can't shrink to {self.partitions}")
        return replace(
            group,
            topics={**group.topics, self.topic: self.partitions},
            weights=_longer(group.weights, self.topic, [None] * new),
            leader_racks=_longer(group.leader_racks, self.topic, [None] * new),
            replica_racks=_longer(group.replica_racks, self.topic, [[] for _ in range(new)]),
        )


@dataclass(frozen=True)
class Delete(TopicEvent):
    """A topic that a group reads is deleted; its members go on subscribing to it."""

    topic: str = a_name("the topic that is deleted")

    names: ClassVar = ("delete",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        self.check_there(group)
        members = [
            replace(member, owned=[claim for claim in member.owned if claim[0] != self.topic])
            for member in group.members
        ]
        of_topics = ("topics", "weights", "leader_racks", "replica_racks", "topic_ids")
        rest = {
            name: {topic: of for topic, of in getattr(group, name).items() if topic != self.topic}
            for name in of_topics
        }
        return replace(group, members=members, **rest)

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield processes.Delete(at, self.topic)


def _longer(by_topic: Mapping[str, Any], topic: str, more: list[Any]) -> Mapping[str, Any]:
    """Facts of partitions with those of new partitions, where the topic has any."""
    return {**by_topic, topic: [*by_topic[topic], *more]} if topic in by_topic else by_topic


ELECTION_MS = 9_000
"""broker.session.timeout.ms of 4.3.1: from a broker's failure until others lead its partitions."""


@dataclass(frozen=True)
class BrokerDown(Event):
    """A broker is down: its coordinators move, and partitions that it leads get other leaders.

    Partitions without another replica in sync go unread. A `Group` knows nothing of brokers, so
    that it stays as it is: a coordinator that moves starts sessions again and no rebalance.
    """

    broker: int = a_number("the id of the broker that is down", 0, 2**31 - 1)

    names: ClassVar = ("broker-down",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        return group

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield MoveCoordinator(at)
        if running.down is not None:
            yield Away(at, tuple(running.down.get(self.broker, ())), ELECTION_MS)


def brokers_down(events: Sequence[Event]) -> list[int]:
    """The brokers that events take down."""
    return [event.broker for event in events if isinstance(event, BrokerDown)]
