"""New members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Step
from optimizer.scenarios.event import MOST_MEMBERS, Event, check_count, check_text, whole_number
from optimizer.scenarios.newcomers import newcomers, resized
from optimizer.scenarios.running import Running
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Join(Event):
    """`n` new members, with the topics and the rack of the member `like`.

    Without `like` they read what most members read, and go to the rack with the fewest members.
    """

    n: int = 1
    like: str | None = None

    names: ClassVar = ("join",)

    def __post_init__(self) -> None:
        check_count("the number of members that join", self.n, 1, MOST_MEMBERS)
        if self.like is not None:
            check_text("the member that others are to be like", self.like)

    @property
    def value(self) -> str:
        return f"{self.n}:{self.like}" if self.like else str(self.n)

    @classmethod
    def of_value(cls, name: str, value: str) -> Join:
        count, _, like = value.partition(":")
        return cls(whole_number("the number of members that join", count), like or None)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return replace(group, members=[*group.members, *newcomers(group, self.n, self.like)])

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        return resized(at, running, after)
