"""A member that subscribes to other topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from optimizer import processes
from optimizer.model import Group
from optimizer.scenarios.event import Event, Running, check_text, halves, member_index
from optimizer.settings import DEFAULT_LIMITS, Limits


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
        member, topics = halves(name, value, "MEMBER:TOPICS", "orders-1:orders,refunds")
        return cls(member, tuple(filter(None, (topic.strip() for topic in topics.split(",")))))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        members = list(group.members)
        members[place] = replace(members[place], topics=list(self.topics))
        return replace(group, members=members)

    def play(self, at: float, running: Running, after: Group) -> Iterator[processes.Step]:
        yield processes.Subscribe(at, running.name(self.member), self.topics)
