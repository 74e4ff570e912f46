"""A topic that is created."""

from dataclasses import dataclass, replace
from typing import ClassVar

from optimizer.model import Group
from optimizer.scenarios.topic import SizedTopic
from optimizer.settings import DEFAULT_LIMITS, Limits


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
