"""Events that change who is there: members that come, leave and crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import ClassVar

from optimizer.model import Group, Member
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


@dataclass(frozen=True)
class Leave(Event):
    """A member closes, and doesn't come back.

    A dynamic one tells its group; a static one is missed when its session ends (KIP-345).
    """

    member: str

    names: ClassVar = ("leave",)

    def __post_init__(self) -> None:
        check_text("the member that leaves", self.member)

    @property
    def value(self) -> str:
        return self.member

    @classmethod
    def of_value(cls, name: str, value: str) -> Leave:
        return cls(value)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return without(group, [member_index(group, self.member)])


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

    def places(self, group: Group) -> list[int]:
        """Which of a group's members crash; NotApplicableError where none does."""
        if self.member is not None:
            return [member_index(group, self.member)]
        what, name = self._what, self.value
        result = [p for p, member in enumerate(group.members) if getattr(member, what) == name]
        if not result:
            entries = sorted({getattr(member, what) for member in group.members} - {None})
            at = "in" if what == "rack" else "on"
            others = f"they are {at} {', '.join(entries[:5])}" if entries else f"no {what} is known"
            raise NotApplicableError(f"no member is {at} {what} {name!r} ({others})")
        return result

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return without(group, self.places(group))


@dataclass(frozen=True)
class Members(Event):
    """A group gets `n` members: new ones like those of `Join`, or the last ones leave."""

    n: int

    names: ClassVar = ("members",)

    def __post_init__(self) -> None:
        check_count("the number of members", self.n, 0, MOST_MEMBERS)

    @property
    def value(self) -> str:
        return str(self.n)

    @classmethod
    def of_value(cls, name: str, value: str) -> Members:
        return cls(whole_number("the number of members", value))

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        more = self.n - len(group.members)
        if more <= 0:
            return replace(group, members=list(group.members[: self.n]))
        return replace(group, members=[*group.members, *newcomers(group, more)])


def without(group: Group, places: Sequence[int]) -> Group:
    """The group without the members who stand there."""
    gone = set(places)
    stay = [member for place, member in enumerate(group.members) if place not in gone]
    return replace(group, members=stay)


def as_static(group: Group) -> Group:
    """The same group with an instance id for every member: its member id where it has none."""
    named = [
        replace(member, instance_id=member.instance_id or member.member_id)
        for member in group.members
    ]
    return replace(group, members=named)


def newcomers(group: Group, n: int, like: str | None = None) -> list[Member]:
    """Members to come: see `Join`."""
    if not group.members:
        raise NotApplicableError("nobody is there to tell what a new member would read")
    members = group.members
    example = members[member_index(group, like)] if like is not None else _common(members)
    per_rack = Counter(member.rack for member in members if member.rack is not None)
    are_static = all(member.instance_id is not None for member in members)
    taken = {member.member_id for member in members} | {member.instance_id for member in members}
    come = []
    free = (id_ for number in count(1) if (id_ := f"new-{number}") not in taken)
    for id_ in islice(free, n):
        rack = example.rack
        if like is None and per_rack:
            rack = min(sorted(per_rack), key=per_rack.__getitem__)
            per_rack[rack] += 1
        come.append(
            Member(
                id_, example.topics, (), id_ if are_static else None, rack, None, example.capacity
            )
        )
    return come


def _common(members: Sequence[Member]) -> Member:
    """The first of those who read what most read."""
    read = Counter(frozenset(member.topics) for member in members)
    most = max(read.values())
    return next(member for member in members if read[frozenset(member.topics)] == most)


def unused(beginning: str, taken: Container[str | None]) -> str:
    """`beginning-N` of the first number from 2 on that is free."""
    number = 2
    while f"{beginning}-{number}" in taken:
        number += 1
    return f"{beginning}-{number}"
