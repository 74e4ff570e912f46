"""Events after which the same members are there again: restarts, and polls that take too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from optimizer.model import Group
from optimizer.scenarios.duration import check_some_seconds, seconds_of, seconds_to_text
from optimizer.scenarios.event import (
    DEFAULT_LIMITS,
    MOST_MEMBERS,
    Event,
    EventError,
    Limits,
    NotApplicableError,
    check_count,
    check_text,
    member_index,
    whole_number,
)
from optimizer.scenarios.members import unused

T = TypeVar("T")

FORWARD, BACKWARD = "forward", "backward"
"""Orders of a rolling restart: members as their group has them, or the last one first."""


@dataclass(frozen=True)
class Restart(Event):
    """A member closes and is back after so many seconds.

    `static`: as if it had an instance id, or as if it had none; None: as it is. A static member
    that is back within its session keeps what it owns (KIP-345), any other one comes back as a new
    member.
    """

    member: str
    seconds: float
    static: bool | None = None

    names: ClassVar = ("restart",)

    def __post_init__(self) -> None:
        check_text("the member that restarts", self.member)
        object.__setattr__(self, "seconds", check_some_seconds("a restart", self.seconds))
        check_static(self.static)

    @property
    def value(self) -> str:
        return ":".join([self.member, seconds_to_text(self.seconds), *static_to_text(self.static)])

    @classmethod
    def of_value(cls, name: str, value: str) -> Restart:
        rest, static = static_of(value)
        return cls(*timed_member(name, rest), static)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return restarted(
            group, [member_index(group, self.member)], self.seconds, self.static, limits
        )


@dataclass(frozen=True)
class RollingRestart(Event):
    """All members restart, `at_once` at a time, the next ones when those are back.

    Each is away for so many seconds; `static` as in `Restart`. `order` is `forward` or `backward`
    (as the pods of a StatefulSet go).
    """

    at_once: int = 1
    seconds: float = 30.0
    static: bool | None = None
    order: str = FORWARD

    names: ClassVar = ("rolling-restart",)

    def __post_init__(self) -> None:
        check_rolling(self, self.at_once, self.seconds, self.static, self.order)

    @property
    def value(self) -> str:
        return rolling_to_text(self.seconds, self.static, self.at_once, self.order)

    @classmethod
    def of_value(cls, name: str, value: str) -> RollingRestart:
        return cls(**rolling_of(value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return rolled(group, self.seconds, self.static, limits)


@dataclass(frozen=True)
class SlowPoll(Event):
    """A member's application doesn't poll for so many seconds.

    If that is longer than its max.poll.interval.ms it leaves its group and comes back as a new one.
    """

    member: str
    seconds: float

    names: ClassVar = ("slow-poll",)

    def __post_init__(self) -> None:
        check_text("the member that polls late", self.member)
        object.__setattr__(
            self, "seconds", check_some_seconds("a pause between polls", self.seconds)
        )

    @property
    def value(self) -> str:
        return f"{self.member}:{seconds_to_text(self.seconds)}"

    @classmethod
    def of_value(cls, name: str, value: str) -> SlowPoll:
        return cls(*timed_member(name, value, "10m"))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        if self.seconds <= limits.poll:
            return group
        silent = self.seconds - limits.poll  # a static member's session begins when it is too late
        is_static = group.members[place].instance_id is not None
        return restarted(group, [place], silent, is_static, limits)


@dataclass(frozen=True)
class Freeze(Event):
    """A member's process stands still for so many seconds and goes on: a full GC, a cgroup's limit.

    Its heartbeats stop too. If its session ends meanwhile, it comes back as a new member.
    """

    member: str
    seconds: float

    names: ClassVar = ("freeze",)

    def __post_init__(self) -> None:
        check_text("the member that stands still", self.member)
        object.__setattr__(self, "seconds", check_some_seconds("a freeze", self.seconds))

    @property
    def value(self) -> str:
        return f"{self.member}:{seconds_to_text(self.seconds)}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Freeze:
        return cls(*timed_member(name, value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        if self.seconds <= limits.session:
            return group
        is_static = group.members[place].instance_id is not None
        return restarted(group, [place], self.seconds, is_static, limits)


def timed_member(name: str, value: str, example: str = "30s") -> tuple[str, float]:
    """A member and its time, as MEMBER:TIME."""
    member, colon, seconds = value.rpartition(":")
    if not colon:
        raise EventError(f"{name}={value} is not MEMBER:TIME, such as {name}=orders-1:{example}")
    return member, seconds_of(seconds)


def restarted(
    group: Group, places: Sequence[int], seconds: float, static: bool | None, limits: Limits
) -> Group:
    """The group when the members who stand there are back after so many seconds."""
    members = list(group.members)
    taken = {member.member_id for member in members}
    for place in places:
        was = members[place]
        instance = was.instance_id
        if static is not None:
            instance = (instance or was.member_id) if static else None
        if instance is not None and seconds <= limits.session:
            members[place] = replace(was, instance_id=instance)
            continue
        id_ = unused(was.member_id, taken)
        taken.add(id_)
        members[place] = replace(
            was, member_id=id_, instance_id=instance, owned=(), generation=None
        )
    return replace(group, members=members)


def rolled(group: Group, seconds: float, static: bool | None, limits: Limits) -> Group:
    """The group when every member has restarted once."""
    if not group.members:
        raise NotApplicableError("the group has no member that could restart")
    return restarted(group, range(len(group.members)), seconds, static, limits)


def in_turn(members: Sequence[T], at_once: int, order: str) -> Iterator[list[T]]:
    """Those who restart together, one set after the other."""
    ordered = list(members) if order == FORWARD else list(reversed(members))
    for start in range(0, len(ordered), at_once):
        yield ordered[start : start + at_once]


def check_static(static: object) -> None:
    if static not in (None, True, False):
        raise EventError(f"static is {static!r} and must be true or false")


def check_rolling(of: Event, at_once: int, seconds: float, static: bool | None, order: str) -> None:
    """Check what a rolling restart is stated by, and keep the seconds of an event as a float."""
    check_count("the number of members that restart at once", at_once, 1, MOST_MEMBERS)
    object.__setattr__(of, "seconds", check_some_seconds("a restart", seconds))
    check_static(static)
    if order not in (FORWARD, BACKWARD):
        raise EventError(f"the order of a rolling restart is {order!r}: {FORWARD} or {BACKWARD}")


STATIC = {"static": True, "dynamic": False}


def static_to_text(static: bool | None) -> list[str]:
    return [word for word, meant in STATIC.items() if meant is static]


def static_of(value: str) -> tuple[str, bool | None]:
    """A text without the `:static` or `:dynamic` at its end, and what that says."""
    rest, _, word = value.rpartition(":")
    return (rest, STATIC[word]) if word in STATIC else (value, None)


def rolling_to_text(seconds: float, static: bool | None, at_once: int, order: str) -> str:
    """Such as `30s:static:at-once=2:backward`, as `rolling_of` reads it."""
    parts = [seconds_to_text(seconds), *static_to_text(static)]
    parts += [f"at-once={at_once}"] if at_once > 1 else []
    return ":".join([*parts, *([order] if order != FORWARD else [])])


def rolling_of(value: str) -> dict[str, Any]:
    """The fields of a rolling restart that a text states."""
    settings: dict[str, Any] = {}
    for part in filter(None, value.split(":")):
        if part in STATIC:
            settings["static"] = STATIC[part]
        elif part in (FORWARD, BACKWARD):
            settings["order"] = part
        elif part.startswith("at-once="):
            number = part.removeprefix("at-once=")
            settings["at_once"] = whole_number("the number of members that restart at once", number)
        else:
            settings["seconds"] = seconds_of(part)
    return settings
