"""Members that vanish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group, host_names
from optimizer.processes import Kill, Step
from optimizer.scenarios.event import (
    Event,
    EventError,
    NotApplicableError,
    Running,
    check_text,
    member_index,
    without,
)
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Crash(Event):
    """A member, or all of a host or of a rack, vanish without a word; they don't come back."""

    member: str | None = None
    host: str | None = None
    rack: str | None = None

    names: ClassVar = ("crash", "crash-host", "crash-rack")

    def __post_init__(self) -> None:
        settings = [item for item in (self.member, self.host, self.rack) if item is not None]
        if len(settings) != 1:
            raise EventError("a crash is of one member, one host or one rack")
        check_text(f"the {self._what} that crashes", settings[0])

    @property
    def _what(self) -> str:
        return "member" if self.member is not None else "host" if self.host is not None else "rack"

    @property
    def name(self) -> str:
        return "crash" if self.member is not None else f"crash-{self._what}"

    @property
    def value(self) -> str:
        return self.member or self.host or self.rack or ""

    @classmethod
    def of_value(cls, name: str, value: str) -> Crash:
        return cls(**{name.removeprefix("crash").removeprefix("-") or "member": value})

    def member_indexes(self, group: Group) -> list[int]:
        """Which of a group's members crash; NotApplicableError where none does."""
        if self.member is not None:
            return [member_index(group, self.member)]
        what, name = self._what, self.value
        of_members: list[str | None] = [getattr(member, what) for member in group.members]
        if what == "host":
            of_members, name = host_names(of_members), name.removeprefix("/")
        crashed = [place for place, of_member in enumerate(of_members) if of_member == name]
        if not crashed:
            names = sorted({of_member for of_member in of_members if of_member is not None})
            at = "in" if what == "rack" else "on"
            others = (
                f"they are {at} {', '.join(names[:5])}"
                if names
                else f"no {what} of its members is known"
            )
            raise NotApplicableError(f"no member is {at} {what} {name!r} ({others})")
        return crashed

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return without(group, self.member_indexes(group))

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        return (Kill(at, running.names[place]) for place in self.member_indexes(running.group))
