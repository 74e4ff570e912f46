"""Members that come, go, vanish, or read other topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any, ClassVar

from optimizer import processes
from optimizer.model import Group, Member, host_names
from optimizer.processes import Close, Kill, Start, Step
from optimizer.scenarios.event import (
    Event,
    EventError,
    NotApplicableError,
    Running,
    a_name,
    a_number,
    check_name,
    comma_separated,
    event_field,
    member_index,
    whole_number,
    without,
)
from optimizer.settings import DEFAULT_LIMITS, Timeouts


class Resized(Event):
    """The last members leave, or new ones come."""

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        now = len(running.group.members)
        for name in running.names[len(after.members) :]:
            yield Close(at, name)
        for member in after.members[now:]:
            topics = tuple(member.topics)
            yield Start(at, member.member_id, topics, None, member.instance_id, member.rack)


THAT_JOIN = "the number of members that join"


@dataclass(frozen=True)
class Join(Resized):
    """`n` new members, with the topics and the rack of the member `like`.

    Without `like` they read what most members read, and go to the rack with the fewest members.
    """

    n: int = a_number(THAT_JOIN, default=1)
    like: str | None = a_name("the member that others are to be like", default=None)

    names: ClassVar = ("join",)

    @property
    def value(self) -> str:
        return f"{self.n}:{self.like}" if self.like else str(self.n)

    @classmethod
    def of_value(cls, name: str, value: str) -> Join:
        number, _, like = value.partition(":")
        return cls(whole_number(THAT_JOIN, number), like or None)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        return replace(group, members=[*group.members, *_newcomers(group, self.n, self.like)])


@dataclass(frozen=True)
class Members(Resized):
    """A group gets `n` members: new ones like those of `Join`, or the last ones leave."""

    n: int = a_number("the number of members", 0)

    names: ClassVar = ("members",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        more = self.n - len(group.members)
        stay = group.members[: self.n]
        return replace(group, members=[*stay, *(_newcomers(group, more) if more > 0 else ())])


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


@dataclass(frozen=True)
class Leave(Event):
    """A member closes, and doesn't come back.

    A dynamic one tells its group; a static one is missed when its session ends (KIP-345).
    """

    member: str = a_name("the member that leaves")

    names: ClassVar = ("leave",)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        return without(group, [member_index(group, self.member)])

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield Close(at, running.name(self.member))


def _check_topics(what: str, topics: Any) -> tuple[str, ...]:
    names = (topics,) if isinstance(topics, str) else tuple(dict.fromkeys(topics))
    return tuple(check_name(what, name) for name in names)


@dataclass(frozen=True)
class Subscribe(Event):
    """A member subscribes to these topics, and to no others."""

    member: str = a_name("the member that subscribes")
    topics: tuple[str, ...] = event_field(
        "a topic to subscribe to", _check_topics, lambda _, text: comma_separated(text), ",".join
    )

    names: ClassVar = ("subscribe",)
    form: ClassVar = ("MEMBER:TOPICS", "orders-1:orders,refunds")

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        place = member_index(group, self.member)
        members = list(group.members)
        members[place] = replace(members[place], topics=list(self.topics))
        return replace(group, members=members)

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        yield processes.Subscribe(at, running.name(self.member), self.topics)


@dataclass(frozen=True)
class Crash(Event):
    """A member, or all of a host or of a rack, vanish without a word; they don't come back."""

    member: str | None = a_name("the member that crashes", default=None)
    host: str | None = a_name("the host that crashes", default=None)
    rack: str | None = a_name("the rack that crashes", default=None)

    names: ClassVar = ("crash", "crash-host", "crash-rack")

    def __post_init__(self) -> None:
        if sum(place is not None for place in (self.member, self.host, self.rack)) != 1:
            raise EventError("a crash is of one member, one host or one rack")
        super().__post_init__()

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
        """Members of a group that crash; NotApplicableError where none does."""
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

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        return without(group, self.member_indexes(group))

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        return (Kill(at, running.names[place]) for place in self.member_indexes(running.group))
