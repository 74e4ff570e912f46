"""Topics that are created, grow or are deleted: what that means to a group that reads them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from optimizer import processes
from optimizer.model import Group
from optimizer.scenarios.event import (
    MOST_PARTITIONS,
    Event,
    NotApplicableError,
    Running,
    check_count,
    check_text,
    halves,
    whole_number,
)
from optimizer.settings import DEFAULT_LIMITS, Limits


class TopicEvent(Event):
    """Something that happens to a topic, and so to all groups of its cluster that read it."""

    topic: str

    def refusal(self, size: int | None, is_read: bool) -> str | None:
        """Why a group can't have it, by the partitions of the topic now; None: it can."""
        if size is None:
            return f"the group has no topic {self.topic!r}"
        return None if is_read else f"no member subscribes to topic {self.topic!r}"

    def check(self, group: Group) -> None:
        """Raise NotApplicableError for a group that can't have it."""
        is_read = any(self.topic in member.topics for member in group.members)
        if reason := self.refusal(group.topics.get(self.topic), is_read):
            raise NotApplicableError(reason)


@dataclass(frozen=True)
class SizedTopic(TopicEvent):
    """A topic's new number of partitions."""

    topic: str
    partitions: int

    which: ClassVar[str]

    def __post_init__(self) -> None:
        check_text(self.which, self.topic)
        what = f"the number of partitions of {self.topic!r}"
        check_count(what, self.partitions, 1, MOST_PARTITIONS)

    @property
    def value(self) -> str:
        return f"{self.topic}:{self.partitions}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Self:
        """Of TOPIC:NUMBER."""
        topic, number = halves(name, value, "TOPIC:PARTITIONS", "orders:48")
        return cls(topic, whole_number(f"the number of partitions of {topic!r}", number))

    def play(self, at: float, running: Running, after: Group) -> Iterator[processes.Step]:
        yield processes.Grow(at, self.topic, self.partitions)


@dataclass(frozen=True)
class Create(SizedTopic):
    """A topic that a group subscribes to, and its cluster lacked, is created."""

    names: ClassVar = ("create",)
    which: ClassVar = "the topic that is created"

    def refusal(self, size: int | None, is_read: bool) -> str | None:
        if size is not None:
            return f"topic {self.topic!r} is there already"
        return super().refusal(0, is_read)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        self.check(group)
        return replace(group, topics={**group.topics, self.topic: self.partitions})


@dataclass(frozen=True)
class Grow(SizedTopic):
    """A topic that a group reads gets more partitions: `partitions` in all.

    Where partitions have weights, new ones weigh as much as the others on average.
    """

    names: ClassVar = ("grow",)
    which: ClassVar = "the topic that grows"

    def refusal(self, size: int | None, is_read: bool) -> str | None:
        if size is not None and size > self.partitions and is_read:
            shrinks = f"can't shrink to {self.partitions}"
            return f"topic {self.topic!r} has {size} partitions and {shrinks}"
        return super().refusal(size, is_read)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        self.check(group)
        new = self.partitions - group.topics[self.topic]
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

    topic: str

    names: ClassVar = ("delete",)

    def __post_init__(self) -> None:
        check_text("the topic that is deleted", self.topic)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        self.check(group)
        members = [
            replace(member, owned=[claim for claim in member.owned if claim[0] != self.topic])
            for member in group.members
        ]
        of_topics = ("topics", "weights", "leader_racks", "replica_racks", "topic_ids")
        rest = {name: _without(getattr(group, name), self.topic) for name in of_topics}
        return replace(group, members=members, **rest)

    def play(self, at: float, running: Running, after: Group) -> Iterator[processes.Step]:
        yield processes.Delete(at, self.topic)


def _longer(by_topic: Mapping[str, Any], topic: str, more: list[Any]) -> Mapping[str, Any]:
    """Facts of partitions with those of new partitions, where the topic has any."""
    return {**by_topic, topic: [*by_topic[topic], *more]} if topic in by_topic else by_topic


def _without(by_topic: Mapping[str, Any], topic: str) -> dict[str, Any]:
    return {name: value for name, value in by_topic.items() if name != topic}
