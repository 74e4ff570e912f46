"""All members restart, one after the other: with what they have, or with something new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from optimizer.model import Group
from optimizer.processes import Close, Start, Step
from optimizer.scenarios.event import (
    MOST_MEMBERS,
    Event,
    EventError,
    NotApplicableError,
    Running,
    check_count,
    check_some_seconds,
    seconds_of,
    seconds_to_text,
    whole_number,
)
from optimizer.scenarios.pauses import STATIC, check_static, restarted, static_to_text, with_static
from optimizer.settings import DEFAULT_LIMITS, ClientSettings, Limits
from optimizer.strategies import CLASSIC_ASSIGNORS

CONSUMER = "consumer"
"""The protocol of KIP-848, group.protocol=consumer."""

FORWARD, BACKWARD = "forward", "backward"
"""Orders of a rolling restart: members as their group has them, or the last one first."""

READY_MS = 10_000
"""In a rolling restart the next member closes so long after the one before has started."""


@dataclass(frozen=True, kw_only=True)
class Rolling(Event):
    """All members restart, `at_once` at a time, the next ones when those are back.

    Each is away for a number of seconds; `static` as in `Restart`. `order` is `forward` or
    `backward` (as the pods of a StatefulSet go).
    """

    at_once: int = 1
    seconds: float = 30.0
    static: bool | None = None
    order: str = FORWARD

    def __post_init__(self) -> None:
        check_count("the number of members that restart at once", self.at_once, 1, MOST_MEMBERS)
        object.__setattr__(self, "seconds", check_some_seconds("a restart", self.seconds))
        check_static(self.static)
        if self.order not in (FORWARD, BACKWARD):
            raise EventError(
                f"the order of a rolling restart is {self.order!r}: {FORWARD} or {BACKWARD}"
            )

    @property
    def value(self) -> str:
        """Such as `30s:static:at-once=2:backward`, as `_settings_of` reads it."""
        parts = [seconds_to_text(self.seconds), *static_to_text(self.static)]
        parts += [f"at-once={self.at_once}"] if self.at_once > 1 else []
        return ":".join([*parts, *([self.order] if self.order != FORWARD else [])])

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        if not group.members:
            raise NotApplicableError("the group has no member that could restart")
        member_indexes = range(len(group.members))
        return restarted(group, member_indexes, self.seconds, self.static, limits)

    def client(self, now: ClientSettings) -> ClientSettings | None:
        """What members come back with; None: what they had."""
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

    at_once: int = 1

    names: ClassVar = ("rolling-restart",)

    @classmethod
    def of_value(cls, name: str, value: str) -> RollingRestart:
        return cls(**_settings_of(value))


@dataclass(frozen=True)
class Upgrade(Rolling):
    """A rolling restart after which members offer these assignors, the first one first.

    The other fields are those of `Rolling`.
    """

    strategies: tuple[str, ...]

    names: ClassVar = ("upgrade",)

    def __post_init__(self) -> None:
        names = (self.strategies,) if isinstance(self.strategies, str) else tuple(self.strategies)
        object.__setattr__(self, "strategies", names)
        if not names:
            raise EventError("an upgrade has to name the assignors that members shall offer")
        for name in names:
            if name not in CLASSIC_ASSIGNORS:
                assignors = ", ".join(CLASSIC_ASSIGNORS)
                raise EventError(
                    f"members can't offer the assignor {name!r}: choose one of {assignors}"
                )
        if len(set(names)) < len(names):
            raise EventError(f"an upgrade names an assignor twice: {', '.join(names)}")
        super().__post_init__()

    @property
    def value(self) -> str:
        return f"{','.join(self.strategies)}:{super().value}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Upgrade:
        names, _, how = value.partition(":")
        return cls(tuple(item.strip() for item in names.split(",")), **_settings_of(how))

    def client(self, now: ClientSettings) -> ClientSettings:
        return replace(now, assignors=self.strategies)


@dataclass(frozen=True)
class Migrate(Rolling):
    """A rolling restart from the classic protocol to that of KIP-848.

    The other fields are those of `Rolling`.
    """

    to: str = CONSUMER

    names: ClassVar = ("migrate",)

    def __post_init__(self) -> None:
        if self.to != CONSUMER:
            raise EventError(f"groups can migrate to the protocol {CONSUMER!r}, not to {self.to!r}")
        super().__post_init__()

    @property
    def value(self) -> str:
        return f"{self.to}:{super().value}"

    @classmethod
    def of_value(cls, name: str, value: str) -> Migrate:
        to, _, how = value.partition(":")
        return cls(to, **_settings_of(how))

    def client(self, now: ClientSettings) -> ClientSettings:
        return replace(now, protocol=self.to)


def _settings_of(value: str) -> dict[str, Any]:
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
