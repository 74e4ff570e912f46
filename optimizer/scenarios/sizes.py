"""Members that come and members that go: a group of another size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import ClassVar

from optimizer.model import Group, Member
from optimizer.processes import Close, Start, Step
from optimizer.scenarios.event import (
    MOST_MEMBERS,
    Event,
    NotApplicableError,
    Running,
    check_count,
    check_text,
    member_index,
    whole_number,
    without,
)
from optimizer.settings import DEFAULT_LIMITS, Limits


class Resized(Event):
    """The last members leave, or new ones come."""

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        now = len(running.group.members)
        for name in running.names[len(after.members) :]:
            yield Close(at, name)
        for member in after.members[now:]:
            topics = tuple(member.topics)
            yield Start(at, member.member_id, topics, None, member.instance_id, member.rack)


@dataclass(frozen=True)
class Join(Resized):
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
        number, _, like = value.partition(":")
        return cls(whole_number("the number of members that join", number), like or None)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return replace(group, members=[*group.members, *_newcomers(group, self.n, self.like)])


@dataclass(frozen=True)
class Members(Resized):
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
        stay = group.members[: self.n]
        return replace(group, members=[*stay, *(_newcomers(group, more) if more > 0 else ())])


@dataclass(frozen=True)
class Leave(Event):
    """A member closes, and doesn't come back.

    A dynamic one tells its group; a static one is missed when its session ends (KIP-345).
    """

    member: str

    names: ClassVar = ("leave",)

    def __post_init__(self) -> None:
        check_text("the member that leaves", self.member)

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        return without(group, [member_index(group, self.member)])

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield Close(at, running.name(self.member))


def _newcomers(group: Group, n: int, like: str | None = None) -> Iterator[Member]:
    """Members to come: see `Join`."""
    if not group.members:
        raise NotApplicableError("the group has no member that shows what a new one would read")
    members = group.members
    example = members[member_index(group, like)] if like is not None else _common(members)
    per_rack = Counter(member.rack for member in members if member.rack is not None)
    are_static = all(member.instance_id is not None for member in members)
    taken = {member.member_id for member in members} | {member.instance_id for member in members}
    free = (id_ for number in count(1) if (id_ := f"new-{number}") not in taken)
    for id_ in islice(free, n):
        rack = example.rack
        if like is None and per_rack:
            rack = min(sorted(per_rack), key=per_rack.__getitem__)
            per_rack[rack] += 1
        instance = id_ if are_static else None
        yield Member(id_, example.topics, (), instance, rack, None, example.capacity)


def _common(members: Sequence[Member]) -> Member:
    """The first of those who read what most read."""
    read = Counter(frozenset(member.topics) for member in members)
    most = max(read.values())
    return next(member for member in members if read[frozenset(member.topics)] == most)
