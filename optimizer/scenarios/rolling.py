"""All members restart, one after the other: with what they have, or with something new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from optimizer.model import Group
from optimizer.processes import Close, Start, Step
from optimizer.scenarios.event import (
    Event,
    EventError,
    Kind,
    NotApplicableError,
    Running,
    a_choice,
    a_duration,
    a_number,
    comma_separated,
    event_field,
    kind_of,
    seconds_of,
    seconds_to_text,
    whole_number,
)
from optimizer.scenarios.pauses import STATIC, a_static, restart, static_to_text, with_static
from optimizer.settings import DEFAULT_LIMITS, ClientSettings, Timeouts
from optimizer.strategies import CLASSIC_ASSIGNORS

CONSUMER = "consumer"
"""The protocol of KIP-848, group.protocol=consumer."""

FORWARD, BACKWARD = "forward", "backward"
"""Orders of a rolling restart: members as their group has them, or the last one first."""

READY_MS = 10_000
"""In a rolling restart the next member closes so long after the one before has started."""


AT_ONCE = "the number of members that restart at once"


@dataclass(frozen=True, kw_only=True)
class Rolling(Event):
    """All members restart, `at_once` at a time, the next ones when those are back.

    Each is away for a number of seconds; `static` as in `Restart`. `order` is `forward` or
    `backward` (as the pods of a StatefulSet go).
    """

    at_once: int = a_number(AT_ONCE, default=1)
    seconds: float = a_duration("a restart", default=30.0)
    static: bool | None = a_static()
    order: str = a_choice(
        "the order of a rolling restart",
        (FORWARD, BACKWARD),
        f": {FORWARD} or {BACKWARD}",
        default=FORWARD,
    )

    first: ClassVar = ""
    """The field with which its text begins, if there is one more."""

    @property
    def value(self) -> str:
        """A text such as `30s:static:at-once=2:backward`, as `of_value` reads it."""
        parts = [self._first().text(getattr(self, self.first))] if self.first else []
        parts += [seconds_to_text(self.seconds), *static_to_text(self.static)]
        parts += [f"at-once={self.at_once}"] if self.at_once > 1 else []
        return ":".join([*parts, *([self.order] if self.order != FORWARD else [])])

    @classmethod
    def of_value(cls, name: str, value: str) -> Self:
        parts = value.split(":")
        options: dict[str, Any] = {}
        if cls.first:
            options[cls.first] = cls._first().read(cls.first, parts.pop(0))
        for part in filter(None, parts):
            if part in STATIC:
                options["static"] = STATIC[part]
            elif part in (FORWARD, BACKWARD):
                options["order"] = part
            elif part.startswith("at-once="):
                options["at_once"] = whole_number(AT_ONCE, part.removeprefix("at-once="))
            else:
                options["seconds"] = seconds_of(part)
        return cls(**options)

    @classmethod
    def _first(cls) -> Kind:
        return kind_of(cls.__dataclass_fields__[cls.first])

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        if not group.members:
            raise NotApplicableError("the group has no member that could restart")
        return restart(group, range(len(group.members)), self.seconds, self.static, limits)

    def client(self, now: ClientSettings) -> ClientSettings | None:
        """Settings that members come back with; None: those that they had."""
        return None

    def play(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        client = self.client(running.client)
        order = 1 if self.order == FORWARD else -1
        names = running.names[::order]
        for first in range(0, len(names), self.at_once):
            members = names[first : first + self.at_once]
            back = at + self.seconds * 1000
            yield from (Close(at, name) for name in members)
            yield from (Start(back, name, client=client) for name in members)
            at = back + READY_MS

    def lasts(self, group: Group) -> float:
        sets = -(-len(group.members) // self.at_once)
        return sets * (self.seconds + READY_MS / 1000)

    def as_stated(self, group: Group) -> Group:
        return with_static(group, self.static)


@dataclass(frozen=True)
class RollingRestart(Rolling):
    """See `Rolling`: members come back as they were."""

    at_once: int = a_number(AT_ONCE, default=1)

    names: ClassVar = ("rolling-restart",)


def _check_assignors(what: str, names: Any) -> tuple[str, ...]:
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not listed:
        raise EventError(f"{what} has to name the assignors that members shall offer")
    for name in listed:
        if name not in CLASSIC_ASSIGNORS:
            assignors = ", ".join(CLASSIC_ASSIGNORS)
            raise EventError(
                f"members can't offer the assignor {name!r}: choose one of {assignors}"
            )
    if len(set(listed)) < len(listed):
        raise EventError(f"{what} names an assignor twice: {', '.join(listed)}")
    return listed


@dataclass(frozen=True)
class Upgrade(Rolling):
    """A rolling restart after which members offer these assignors, the first one first.

    The other fields are those of `Rolling`.
    """

    strategies: tuple[str, ...] = event_field(
        "an upgrade", _check_assignors, lambda _, text: comma_separated(text), ",".join
    )

    names: ClassVar = ("upgrade",)
    first: ClassVar = "strategies"

    def client(self, now: ClientSettings) -> ClientSettings:
        return replace(now, assignors=self.strategies)


def _check_protocol(_: str, to: Any) -> Any:
    if to != CONSUMER:
        raise EventError(f"groups can migrate to the protocol {CONSUMER!r}, not to {to!r}")
    return to


@dataclass(frozen=True)
class Migrate(Rolling):
    """A rolling restart from the classic protocol to that of KIP-848.

    The other fields are those of `Rolling`.
    """

    to: str = event_field("a migration", _check_protocol, default=CONSUMER)

    names: ClassVar = ("migrate",)
    first: ClassVar = "to"

    def client(self, now: ClientSettings) -> ClientSettings:
        return replace(now, protocol=self.to)
