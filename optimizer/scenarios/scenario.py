"""Events one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import inf
from typing import Any, NamedTuple

from optimizer.model import Group
from optimizer.scenarios.event import Event, EventError, check_seconds, seconds_of
from optimizer.scenarios.registry import event_of
from optimizer.settings import DEFAULT_LIMITS, Limits


class Step(NamedTuple):
    """An event, and how many seconds after the beginning it happens."""

    at: float
    event: Event


@dataclass(frozen=True)
class Scenario:
    """What happens to a group, in the order of time; `title` says it in words.

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
        return Scenario(tuple(Step(0.0, _as_event(event)) for event in events))

    @staticmethod
    def of_table(table: Mapping[str, Any]) -> Scenario:
        """What a TOML file states; EventError tells all that is wrong with it."""
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
        if not isinstance(tables, list) or not all(isinstance(item, dict) for item in tables):
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

    def apply(self, group: Group, limits: Limits = DEFAULT_LIMITS) -> Group:
        """The group when all has happened; NotApplicableError for one that can't have it."""
        return reduce(lambda now, step: step.event.apply(now, limits), self.steps, group)


KEYS = "title", "seconds", "peak_rate", "rates", "step"
"""What a file may state."""


def check_rate(what: str, rate: object) -> None:
    """Raise EventError unless it is a number of records a second above 0."""
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < inf:
        raise EventError(f"{what} is {rate!r} and must be a number of records a second above 0")


def _as_event(item: Event | str) -> Event:
    return event_of(item) if isinstance(item, str) else item


def _step_of(table: Mapping[str, Any]) -> Step:
    if "at" not in table:
        raise EventError('at is missing, the time after the beginning, such as at = "10s"')
    event = event_of({key: value for key, value in table.items() if key != "at"})
    return Step(_seconds("at", table["at"]), event)


def _seconds(what: str, settings: Any) -> float:
    return seconds_of(settings) if isinstance(settings, str) else check_seconds(what, settings)
