"""Events of a topic: for a group that reads it, and for all that read it."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from optimizer.model import Group
from optimizer.processes import Grow as GrowStep, Step
from optimizer.scenarios.event import (
    MOST_PARTITIONS,
    Event,
    NotApplicableError,
    check_count,
    check_text,
    halves,
    whole_number,
)
from optimizer.scenarios.running import Running


class TopicEvent(Event):
    """Something that happens to a topic, and so to all groups of its cluster that read it.

    `size` is how many partitions it has then, None where it is gone.
    """

    topic: str

    @property
    @abstractmethod
    def size(self) -> int | None:
        """Partitions of the topic afterwards; None: it is gone."""

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
    def size(self) -> int:
        return self.partitions

    @property
    def value(self) -> str:
        return f"{self.topic}:{self.partitions}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Self:
        """Of TOPIC:NUMBER."""
        topic, number = halves(name, value, "TOPIC:PARTITIONS", "orders:48")
        return cls(topic, whole_number(f"the number of partitions of {topic!r}", number))

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield GrowStep(at, self.topic, self.partitions)
