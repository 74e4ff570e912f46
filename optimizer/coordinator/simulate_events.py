"""What events cost in time: a group and its coordinator, simulated."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from optimizer.coordinator.ledger import NOTHING
from optimizer.coordinator.run import simulate
from optimizer.coordinator.scenario import Scenario
from optimizer.coordinator.timeline import Timeline
from optimizer.model import DEFAULT_GOALS, Goals, Group, IntArray
from optimizer.scenarios import Event, Running, as_stated
from optimizer.settings import Parameters

BETWEEN_SECONDS = 600.0
"""Several events happen so long after each other, so that the group is at rest in between."""


class Down(NamedTuple):
    """Partitions that a broker leads: with another replica in sync, and without one.

    The latter go unread for as long as the broker is down, and aren't simulated.
    """

    with_heirs: Sequence[tuple[str, int]] = ()
    without: Sequence[tuple[str, int]] = ()


class EventsTimeline(NamedTuple):
    """A simulated group: its timeline, and how many partitions each member has at the end."""

    timeline: Timeline
    loads: IntArray


def simulate_events(
    group: Group,
    events: Sequence[Event],
    parameters: Parameters,
    name: str,
    rates: Mapping[str, Sequence[float]] = NOTHING,
    down: Mapping[int, Down] = NOTHING,
    goals: Goals = DEFAULT_GOALS,
    capacities: Mapping[str, float] = NOTHING,
    lag: Mapping[str, Sequence[float]] = NOTHING,
    seen_peak_rate: float | None = None,
) -> EventsTimeline:
    """Let events happen to a group that is at rest, one after the other.

    Random choices depend on the group's `name`: the same each time. `rates` are records a
    second of each partition of a topic, and partitions that come have its mean; `lag` are the
    records that each is behind at first; `seen_peak_rate` is as in a `Scenario`. `down` says what
    is led by brokers that go down. `goals` are those of `optimal`, and `capacities` those of
    members, also of those who come.
    """
    values = as_stated(group, events)
    at, timed = 0.0, []
    for event in events:
        timed.append((at, event))
        at += event.lasts(values) + BETWEEN_SECONDS
    led = {broker: of.with_heirs for broker, of in down.items()}
    running = Running(values, parameters, led)
    steps = running.play(timed)
    sizes = {**values.topics, **running.group.topics}
    scenario = Scenario(
        values,
        steps,
        client=parameters.client,
        broker=parameters.broker,
        rates={topic: _grown(of, sizes[topic]) for topic, of in rates.items() if topic in sizes},
        peak_rate=parameters.peak_rate,
        seen_peak_rate=seen_peak_rate,
        lag=lag,
        goals=goals,
        capacities=capacities,
    )
    timeline = simulate(scenario, crc32(name.encode("utf-8", "surrogatepass")), details=False)
    loads = np.array([len(parts) for parts in timeline.final.values()], np.int64)
    return EventsTimeline(timeline, loads)


def _grown(rates: Sequence[float], size: int) -> list[float]:
    """The rates of a topic's partitions, with their mean for those beyond."""
    return [*rates, *[fmean(rates)] * (size - len(rates))] if rates else []


LAG_FIGURES = {
    "max_lag_records": "records",
    "max_lag_seconds": "seconds",
    "catch_up_seconds": "catch_up",
    "never_caught_up": "never",
}
"""Names that figures of lag have in tables, and properties of `Lag`."""


def lag_figures(timeline: Timeline) -> dict[str, Any]:
    """How far a group falls behind, by the names of `LAG_FIGURES`; all None where that is unknown.

    `catch_up_seconds` is None too where `never_caught_up` partitions go on to lag.
    """
    lag = timeline.lag
    values = {name: lag and getattr(lag, field) for name, field in LAG_FIGURES.items()}
    return {n: round(item, 3) if isinstance(item, float) else item for n, item in values.items()}


def figures_of(timeline: Timeline) -> dict[str, Any]:
    """What events cost in time, by the names that these figures have in tables.

    `fatal` are members that ended by a fatal error: refused, or replaced by another instance.
    """
    return {
        "rebalances": timeline.rebalances,
        "unread_seconds": round(timeline.unread_seconds, 3),
        "longest_pause": round(timeline.longest_pause, 3),
        "stopped_needlessly": timeline.stopped_needlessly,
        "moves": timeline.moved,
        "takeovers": timeline.taken_over,
        "read_twice_seconds": round(timeline.seconds_read_twice, 3),
        "records_read_twice": timeline.records_read_twice,
        "records_waited": timeline.records_waited,
        **lag_figures(timeline),
        "fatal": sum(happening.what == "error" for happening in timeline.happenings),
        "at_rest": timeline.stable,
    }
