"""A topic that is deleted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from optimizer.model import Group
from optimizer.processes import Delete as DeleteStep, Step
from optimizer.scenarios.event import check_text
from optimizer.scenarios.running import Running
from optimizer.scenarios.topic import TopicEvent
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Delete(TopicEvent):
    """A topic that a group reads is deleted; its members go on subscribing to it."""

    topic: str

    names: ClassVar = ("delete",)

    def __post_init__(self) -> None:
        check_text("the topic that is deleted", self.topic)

    @property
    def size(self) -> None:
        return None

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        self.check(group)
        gone = self.topic
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

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield DeleteStep(at, self.topic)


def _without(by_topic: Mapping[str, Any], topic: str) -> dict[str, Any]:
    return {name: value for name, value in by_topic.items() if name != topic}
