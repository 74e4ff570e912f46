"""A member that closes and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from optimizer.model import Group
from optimizer.processes import Close, Start, Step
from optimizer.scenarios.event import member_index
from optimizer.scenarios.returning import (
    check_static,
    restarted,
    static_of,
    static_to_text,
    with_static,
)
from optimizer.scenarios.running import Running
from optimizer.scenarios.timed_member import TimedMember
from optimizer.settings import DEFAULT_LIMITS, Limits


@dataclass(frozen=True)
class Restart(TimedMember):
    """A member closes and is back after a number of seconds.

    `static`: as if it had an instance id, or as if it had none; None: as it is. A static member
    that is back within its session keeps what it owns (KIP-345), any other one comes back as a new
    member.
    """

    static: bool | None = None

    names: ClassVar = ("restart",)
    whose: ClassVar = "the member that restarts"
    length: ClassVar = "a restart"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_static(self.static)

    @property
    def value(self) -> str:
        return ":".join([super().value, *static_to_text(self.static)])

    @classmethod
    def of_value(cls, name: str, value: str) -> Restart:
        rest, static = static_of(value)
        return cls(*cls.timed(name, rest), static)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return restarted(
            group, [member_index(group, self.member)], self.seconds, self.static, limits
        )

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        name = running.name(self.member)
        yield Close(at, name)
        yield Start(at + self.seconds * 1000, name)

    def as_stated(self, group: Group) -> Group:
        return with_static(group, self.static, self.member)
