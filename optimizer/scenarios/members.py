"""Another number of members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Step
from optimizer.scenarios.event import MOST_MEMBERS, Event, check_count, whole_number
from optimizer.scenarios.newcomers import newcomers, resized
from optimizer.scenarios.running import Running
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Members(Event):
    """A group gets `n` members: new ones like those of `Join`, or the last ones leave."""

    n: int

    names: ClassVar = ("members",)

    def __post_init__(self) -> None:
        check_count("the number of members", self.n, 0, MOST_MEMBERS)

    @classmethod
    def of_value(cls, name: str, value: str) -> Members:
        return cls(whole_number("the number of members", value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        more = self.n - len(group.members)
        if more <= 0:
            return replace(group, members=list(group.members[: self.n]))
        return replace(group, members=[*group.members, *newcomers(group, more)])

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        return resized(at, running, after)
