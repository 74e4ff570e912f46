"""Events of one member that last a while."""

from dataclasses import dataclass
from typing import ClassVar, Self

from optimizer.model import Group
from optimizer.scenarios.duration import check_some_seconds, seconds_of, seconds_to_text
from optimizer.scenarios.event import Event, check_text, halves, member_index
from optimizer.scenarios.returning import restarted
from optimizer.settings import Limits


@dataclass(frozen=True)
class TimedMember(Event):
    """Something that a member does for a number of seconds; sentences on faults name both so."""

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
        member, seconds = halves(name, value, "MEMBER:TIME", f"orders-1:{cls.example}")
        return member, seconds_of(seconds)

    def silenced(self, group: Group, silent: float, allowed: float, limits: Limits) -> Group:
        """The group when the member is back: as a new one if it took more than `allowed`."""
        place = member_index(group, self.member)
        if self.seconds <= allowed:
            return group
        return restarted(group, [place], silent, None, limits)

    def lasts(self, group: Group) -> float:
        return self.seconds
