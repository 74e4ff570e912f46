"""One member that is away or silent for a while, and comes back as the same or as a new one."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from optimizer import processes
from optimizer.model import Group
from optimizer.processes import Step
from optimizer.scenarios.event import Event, Running, a_choice, a_duration, a_name, member_index
from optimizer.settings import DEFAULT_LIMITS, Timeouts


class TimedMember(Event):
    """Something that a member does for a number of seconds."""

    member: str
    seconds: float

    form: ClassVar = ("MEMBER:TIME", "orders-1:30s")

    def after_silence(self, group: Group, silent: float, allowed: float, limits: Timeouts) -> Group:
        """The group when the member is back: as a new one if it took more than `allowed`."""
        place = member_index(group, self.member)
        if self.seconds <= allowed:
            return group
        return restart(group, [place], silent, None, limits)

    def lasts(self, group: Group) -> float:
        return self.seconds


@dataclass(frozen=True)
class SlowPoll(TimedMember):
    """A member's application doesn't poll for a number of seconds.

    If that is longer than its max.poll.interval.ms it leaves its group and comes back as a new one.
    """

    member: str = a_name("the member that polls late")
    seconds: float = a_duration("a pause between polls")

    names: ClassVar = ("slow-poll",)
    form: ClassVar = ("MEMBER:TIME", "orders-1:10m")

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        silent = self.seconds - limits.poll  # a static member's session begins when it is too late
        return self.after_silence(group, silent, limits.poll, limits)

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield processes.Block(at, running.name(self.member), self.seconds * 1000)


@dataclass(frozen=True)
class Freeze(TimedMember):
    """A member's process stands still for `seconds` and goes on: a full GC, a cgroup's limit.

    Its heartbeats stop too. If its session ends meanwhile, it comes back as a new member.
    """

    member: str = a_name("the member that stands still")
    seconds: float = a_duration("a freeze")

    names: ClassVar = ("freeze",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        return self.after_silence(group, self.seconds, limits.session, limits)

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield processes.Freeze(at, running.name(self.member), self.seconds * 1000)


STATIC = {"static": True, "dynamic": False}


def a_static() -> Any:
    """A field that says whether members restart as if they had instance ids, or none."""
    return a_choice("static", (True, False), " and must be true or false", default=None)


def static_to_text(static: bool | None) -> list[str]:
    return [word for word, meant in STATIC.items() if meant is static]


@dataclass(frozen=True)
class Restart(TimedMember):
    """A member closes and is back after a number of seconds.

    `static`: as if it had an instance id, or as if it had none; None: as it is. A static member
    that is back within its session keeps what it owns (KIP-345), any other one comes back as a new
    member.
    """

    member: str = a_name("the member that restarts")
    seconds: float = a_duration("a restart")
    static: bool | None = a_static()

    names: ClassVar = ("restart",)

    @property
    def value(self) -> str:
        return ":".join([super().value, *static_to_text(self.static)])

    @classmethod
    def of_value(cls, name: str, value: str) -> Restart:
        rest, _, word = value.rpartition(":")
        if word not in STATIC:
            return super().of_value(name, value)
        return replace(super().of_value(name, rest), static=STATIC[word])

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        return restart(group, [place], self.seconds, self.static, limits)

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        name = running.name(self.member)
        yield processes.Close(at, name)
        yield processes.Start(at + self.seconds * 1000, name)

    def as_stated(self, group: Group) -> Group:
        return with_static(group, self.static, self.member)


def restart(
    group: Group, indexes: Sequence[int], seconds: float, static: bool | None, limits: Timeouts
) -> Group:
    """The group when its members of these indexes are back after a number of seconds."""
    members = list(group.members)
    taken = {member.member_id for member in members}
    for place in indexes:
        was = members[place]
        instance = was.instance_id
        if static is not None:
            instance = (instance or was.member_id) if static else None
        if instance is not None and seconds <= limits.session:
            members[place] = replace(was, instance_id=instance)
            continue
        id_ = _free_id(was.member_id, taken)
        taken.add(id_)
        members[place] = replace(
            was, member_id=id_, instance_id=instance, owned=(), generation=None
        )
    return replace(group, members=members)


def _free_id(beginning: str, taken: Container[str | None]) -> str:
    """`beginning-N` of the first number from 2 on that is free."""
    number = 2
    while f"{beginning}-{number}" in taken:
        number += 1
    return f"{beginning}-{number}"


def as_static(group: Group) -> Group:
    """The group with an instance id for every member: its member id where it has none."""
    return with_static(group, True)


def with_static(group: Group, static: bool | None, member: str | None = None) -> Group:
    """The group with an instance id for every member, or for one, or without; None: as it is."""
    if static is None:
        return group
    members = []
    for was in group.members:
        named = was.instance_id or was.member_id
        is_meant = member is None or member in (was.member_id, named)
        instance = (named if static else None) if is_meant else was.instance_id
        members.append(replace(was, instance_id=instance))
    return replace(group, members=members)
