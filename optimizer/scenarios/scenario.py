"""Events one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import reduce
from math import inf
from typing import Any, NamedTuple

from optimizer.figures import did_you_mean
from optimizer.model import Group
from optimizer.scenarios.event import Event, EventError, check_seconds, seconds_of
from optimizer.scenarios.members import Crash, Join, Leave, Members, Subscribe
from optimizer.scenarios.pauses import Freeze, Restart, SlowPoll
from optimizer.scenarios.rolling import Migrate, RollingRestart, Upgrade
from optimizer.scenarios.topics import BrokerDown, Create, Delete, Grow
from optimizer.settings import DEFAULT_LIMITS, Timeouts


class Step(NamedTuple):
    """An event, and how many seconds after the beginning it happens."""

    at: float
    event: Event


@dataclass(frozen=True)
class Scenario:
    """Events of a group, in the order of time; `title` says it in words.

    `seconds` is how long it is examined, None until the group is at rest again. `rates` are the
    records a second that come in to each partition of a topic, `peak_rate` those that a member can
    read; where both are known, simulations tell the lag. As TOML:

        title = "A member leaves, and comes back"
        seconds = "5m"            # may be left out, as may peak_rate and [rates]
        peak_rate = 2000

        [[step]]
        at = "10s"
        event = "leave"
        member = "orders-1"

        [[step]]
        at = "70s"
        event = "join=1"

        [rates]
        orders = 50
    """

    steps: tuple[Step, ...] = ()
    title: str = ""
    seconds: float | None = None
    peak_rate: float | None = None
    rates: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        steps = tuple(
            Step(check_seconds(f"the time of {event}", at), event) for at, event in self.steps
        )
        object.__setattr__(self, "steps", tuple(sorted(steps, key=lambda step: step.at)))
        if self.seconds is not None:
            object.__setattr__(self, "seconds", check_seconds("a scenario", self.seconds))
        if self.peak_rate is not None:
            check_rate("peak_rate", self.peak_rate)
        for topic, rate in self.rates.items():
            check_rate(f"the rate of topic {topic!r}", rate)

    @staticmethod
    def of(*events: Event | str) -> Scenario:
        """All of these events at once, at the beginning."""
        return Scenario(tuple(Step(0.0, event_of(event)) for event in events))

    @staticmethod
    def of_table(table: Mapping[str, Any]) -> Scenario:
        """The scenario that a TOML file states; EventError tells all that is wrong with it."""
        faults = [
            f"unknown key {key!r} (known are {', '.join(KEYS)})" for key in table if key not in KEYS
        ]
        if not isinstance(table.get("title", ""), str):
            faults.append("the title must be a text")
        seconds = None
        try:
            if "seconds" in table:
                seconds = _seconds("seconds", table["seconds"])
        except EventError as error:
            faults.append(str(error))
        peak_rate, rates = table.get("peak_rate"), table.get("rates", {})
        if not isinstance(rates, dict):
            raise EventError("; ".join([*faults, "rates must be a table, such as orders = 50"]))
        tables = table.get("step", [])
        if not isinstance(tables, list) or not all(isinstance(step, dict) for step in tables):
            raise EventError("; ".join([*faults, "step must be tables, each headed [[step]]"]))
        steps = []
        for number, step in enumerate(tables, start=1):
            try:
                steps.append(_step_of(step))
            except EventError as error:
                faults.append(f"[[step]] number {number}: {error}")
        if faults:
            raise EventError("; ".join(faults))
        return Scenario(tuple(steps), table.get("title", ""), seconds, peak_rate, rates)

    def apply(self, group: Group, limits: Timeouts = DEFAULT_LIMITS) -> Group:
        """The group when all has happened; NotApplicableError for one that can't have it."""
        return reduce(lambda now, step: step.event.apply(now, limits), self.steps, group)


KEYS = "title", "seconds", "peak_rate", "rates", "step"
"""The keys that a file may have."""


def check_rate(what: str, rate: object) -> None:
    """Raise EventError unless it is a number of records a second above 0."""
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < inf:
        raise EventError(f"{what} is {rate!r} and must be a number of records a second above 0")


def _step_of(table: Mapping[str, Any]) -> Step:
    if "at" not in table:
        raise EventError('at is missing, the time after the beginning, such as at = "10s"')
    event = event_of({key: value for key, value in table.items() if key != "at"})
    return Step(_seconds("at", table["at"]), event)


def _seconds(what: str, time: Any) -> float:
    return seconds_of(time) if isinstance(time, str) else check_seconds(what, time)


KINDS: tuple[type[Event], ...] = (
    *(Join, Leave, Crash, Restart, RollingRestart, Members),
    *(Grow, Create, Delete, Subscribe, SlowPoll, Freeze, Upgrade, Migrate, BrokerDown),
)

EVENTS: dict[str, type[Event]] = {name: kind for kind in KINDS for name in kind.names}
"""Each event by the names that it has as text."""


def event_of(source: Event | str | Mapping[str, Any]) -> Event:
    """The event that a text (`crash-rack=eu-west-a`) or a table of a TOML file states.

    A table has the event's name under `event`, and its fields by their names; lengths of time may
    be numbers of seconds or texts (`30s`). Under `event` may stand the whole text as well.

    Raises EventError, with a sentence that says what is wrong.
    """
    if isinstance(source, Event):
        return source
    if isinstance(source, str):
        return _of_text(source)
    name = source.get("event")
    if not isinstance(name, str):
        raise EventError("an event needs its name under 'event', such as event = \"leave\"")
    given = {key: value for key, value in source.items() if key != "event"}
    if "=" in name:
        if given:
            raise EventError(f"event {name!r} is complete: remove the key {', '.join(given)}")
        return _of_text(name)
    kind = _kind(name)
    defaults = {part.name: part.default for part in fields(kind)}  # type: ignore[arg-type]
    if unknown := given.keys() - defaults.keys():
        raise EventError(f"{name} has no {min(unknown)!r} (it has {', '.join(defaults)})")
    if missing := [key for key in defaults if defaults[key] is MISSING and key not in given]:
        raise EventError(f"{name} needs {' and '.join(missing)}")
    if isinstance(seconds := given.get("seconds"), str):
        given["seconds"] = seconds_of(seconds)
    return kind(**given)


def _of_text(text: str) -> Event:
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    kind = _kind(name)
    if not equals or not value:
        raise EventError(f"event {text!r} is not {name}=VALUE")
    return kind.of_value(name, value)


def _kind(name: str) -> type[Event]:
    if name not in EVENTS:
        which = did_you_mean(name, EVENTS) or f": choose one of {', '.join(EVENTS)}"
        raise EventError(f"unknown event {name!r}{which}")
    return EVENTS[name]
