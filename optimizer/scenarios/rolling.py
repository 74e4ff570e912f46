"""All members restart, one after the other: with what they have, or with something new."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from optimizer.model import Group
from optimizer.processes import Close, Start, Step
from optimizer.scenarios.duration import check_some_seconds, seconds_of, seconds_to_text
from optimizer.scenarios.event import (
    MOST_MEMBERS,
    Event,
    EventError,
    NotApplicableError,
    check_count,
    whole_number,
)
from optimizer.scenarios.returning import (
    STATIC,
    check_static,
    restarted,
    static_to_text,
    with_static,
)
from optimizer.scenarios.running import Running
from optimizer.settings import DEFAULT_LIMITS, ClientSettings, Limits

T = TypeVar("T")

FORWARD, BACKWARD = "forward", "backward"
"""Orders of a rolling restart: members as their group has them, or the last one first."""

READY_MS = 10_000
"""In a rolling restart the next member closes so long after the one before has started."""


class Rolling(Event):
    """All members restart, `at_once` at a time, the next ones when those are back.

    Each is away for a number of seconds; `static` as in `Restart`. `order` is `forward` or
    `backward` (as the pods of a StatefulSet go).
    """

    at_once: int
    seconds: float
    static: bool | None
    order: str

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
        """Such as `30s:static:at-once=2:backward`, as `rolling_of` reads it."""
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

    def steps(self, at: float, running: Running, after: Group) -> Iterator[Step]:
        client = self.client(running.client)
        for names in in_turn(running.names, self.at_once, self.order):
            back = at + self.seconds * 1000
            yield from (Close(at, name) for name in names)
            yield from (Start(back, name, client=client) for name in names)
            at = back + READY_MS

    def lasts(self, group: Group) -> float:
        sets = -(-len(group.members) // self.at_once)
        return sets * (self.seconds + READY_MS / 1000)

    def as_stated(self, group: Group) -> Group:
        return with_static(group, self.static)


def in_turn(members: Sequence[T], at_once: int, order: str) -> Iterator[list[T]]:
    """Those who restart together, one set after the other."""
    ordered = list(members) if order == FORWARD else list(reversed(members))
    for start in range(0, len(ordered), at_once):
        yield ordered[start : start + at_once]


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
