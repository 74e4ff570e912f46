"""A topic that gets more partitions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from optimizer.model import Group
from optimizer.scenarios.topic import SizedTopic
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Grow(SizedTopic):
    """A topic that a group reads gets more partitions: `size` in all.

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
        topics = {**group.topics, self.topic: self.partitions}
        return replace(
            group,
            topics=topics,
            weights=_longer(group.weights, self.topic, [None] * new),
            leader_racks=_longer(group.leader_racks, self.topic, [None] * new),
            replica_racks=_longer(group.replica_racks, self.topic, [[] for _ in range(new)]),
        )


def _longer(by_topic: Mapping[str, Any], topic: str, more: list[Any]) -> Mapping[str, Any]:
    """Facts of partitions with those of new partitions, where the topic has any."""
    return {**by_topic, topic: [*by_topic[topic], *more]} if topic in by_topic else by_topic
