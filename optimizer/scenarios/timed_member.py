"""Events of one member that last a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from optimizer.model import Group
from optimizer.scenarios.duration import check_some_seconds, seconds_of, seconds_to_text
from optimizer.scenarios.event import Event, EventError, check_text


@dataclass(frozen=True)
class TimedMember(Event):
    """Something that a member does for so many seconds; sentences on faults name both so."""

    member: str
    seconds: float

    whose: ClassVar[str]
    length: ClassVar[str]
    example: ClassVar[str] = "30s"

    def __post_init__(self) -> None:
        check_text(self.whose, self.member)
        object.__setattr__(self, "seconds", check_some_seconds(self.length, self.seconds))

    @property
    def value(self) -> str:
        return f"{self.member}:{seconds_to_text(self.seconds)}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Self:
        return cls(*cls.timed(name, value))

    @classmethod
    def timed(cls, name: str, value: str) -> tuple[str, float]:
        """A member and its time, as MEMBER:TIME."""
        member, colon, seconds = value.rpartition(":")
        if not colon:
            example = f"{name}=orders-1:{cls.example}"
            raise EventError(f"{name}={value} is not MEMBER:TIME, such as {example}")
        return member, seconds_of(seconds)

    def lasts(self, group: Group) -> float:
        return self.seconds
