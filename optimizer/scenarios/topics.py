"""Events that change what there is to read, and what is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from optimizer.model import Group
from optimizer.scenarios.event import (
    DEFAULT_LIMITS,
    MOST_PARTITIONS,
    Event,
    EventError,
    Limits,
    NotApplicableError,
    check_count,
    check_text,
    member_index,
    whole_number,
)


@dataclass(frozen=True)
class Grow(Event):
    """A topic that a group reads gets more partitions, so many in all.

    Where partitions have weights, new ones weigh as much as the others on average.
    """

    topic: str
    partitions: int

    names: ClassVar = ("grow",)

    def __post_init__(self) -> None:
        check_text("the topic that grows", self.topic)
        check_count(
            f"the number of partitions of {self.topic!r}", self.partitions, 1, MOST_PARTITIONS
        )

    @property
    def value(self) -> str:
        return f"{self.topic}:{self.partitions}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Grow:
        return cls(*sized_topic(name, value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        size = group.topics[read_topic(group, self.topic)]
        if self.partitions < size:
            raise NotApplicableError(
                f"topic {self.topic!r} has {size} partitions and can't shrink to {self.partitions}"
            )
        new = self.partitions - size
        topics = {**group.topics, self.topic: self.partitions}
        return replace(
            group,
            topics=topics,
            weights=_longer(group.weights, self.topic, [None] * new),
            leader_racks=_longer(group.leader_racks, self.topic, [None] * new),
            replica_racks=_longer(group.replica_racks, self.topic, [[] for _ in range(new)]),
        )


@dataclass(frozen=True)
class Create(Event):
    """A topic that a group subscribes to, and its cluster lacked, is created."""

    topic: str
    partitions: int

    names: ClassVar = ("create",)

    def __post_init__(self) -> None:
        check_text("the topic that is created", self.topic)
        check_count(
            f"the number of partitions of {self.topic!r}", self.partitions, 1, MOST_PARTITIONS
        )

    @property
    def value(self) -> str:
        return f"{self.topic}:{self.partitions}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Create:
        return cls(*sized_topic(name, value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        if self.topic in group.topics:
            raise NotApplicableError(f"topic {self.topic!r} is there already")
        check_read(group, self.topic)
        return replace(group, topics={**group.topics, self.topic: self.partitions})


@dataclass(frozen=True)
class Delete(Event):
    """A topic that a group reads is deleted; its members go on subscribing to it."""

    topic: str

    names: ClassVar = ("delete",)

    def __post_init__(self) -> None:
        check_text("the topic that is deleted", self.topic)

    @property
    def value(self) -> str:
        return self.topic

    @classmethod
    def of_value(cls, name: str, value: str) -> Delete:
        return cls(value)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        gone = read_topic(group, self.topic)
        members = [
            replace(member, owned=[claim for claim in member.owned if claim[0] != gone])
            for member in group.members
        ]
        return replace(
            group,
            topics=_without(group.topics, gone),
            members=members,
            weights=_without(group.weights, gone),
            leader_racks=_without(group.leader_racks, gone),
            replica_racks=_without(group.replica_racks, gone),
            topic_ids=_without(group.topic_ids, gone),
        )


@dataclass(frozen=True)
class Subscribe(Event):
    """A member subscribes to these topics, and to no others."""

    member: str
    topics: tuple[str, ...]

    names: ClassVar = ("subscribe",)

    def __post_init__(self) -> None:
        check_text("the member that subscribes", self.member)
        topics = self.topics
        names = (topics,) if isinstance(topics, str) else tuple(dict.fromkeys(topics))
        object.__setattr__(self, "topics", names)
        for topic in names:
            check_text("a topic to subscribe to", topic)

    @property
    def value(self) -> str:
        return f"{self.member}:{','.join(self.topics)}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Subscribe:
        member, colon, topics = value.rpartition(":")
        if not colon:
            raise EventError(
                f"subscribe={value} is not MEMBER:TOPICS, such as subscribe=orders-1:orders,refunds"
            )
        return cls(member, tuple(filter(None, (topic.strip() for topic in topics.split(",")))))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        members = list(group.members)
        members[place] = replace(members[place], topics=list(self.topics))
        return replace(group, members=members)


def sized_topic(name: str, value: str) -> tuple[str, int]:
    """A topic and its number of partitions, as TOPIC:NUMBER."""
    topic, colon, number = value.rpartition(":")
    if not colon:
        raise EventError(f"{name}={value} is not TOPIC:PARTITIONS, such as {name}=orders:48")
    return topic, whole_number(f"the number of partitions of {topic!r}", number)


def read_topic(group: Group, topic: str) -> str:
    """A topic that is there and that somebody reads; NotApplicableError for any other."""
    if topic not in group.topics:
        raise NotApplicableError(f"the group has no topic {topic!r}")
    check_read(group, topic)
    return topic


def check_read(group: Group, topic: str) -> None:
    """Raise NotApplicableError where nobody subscribes to a topic."""
    if not any(topic in member.topics for member in group.members):
        raise NotApplicableError(f"no member subscribes to topic {topic!r}")


def _longer(facts: Mapping[str, Any], topic: str, more: list[Any]) -> Mapping[str, Any]:
    """Facts of partitions with those of new partitions, where the topic has any."""
    return {**facts, topic: [*facts[topic], *more]} if topic in facts else facts


def _without(facts: Mapping[str, Any], topic: str) -> dict[str, Any]:
    return {item: fact for item, fact in facts.items() if item != topic}
