"""What events cost in time: a group and its coordinator, simulated."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from optimizer.coordinator.ledger import NOTHING
from optimizer.coordinator.run import Timeline, simulate
from optimizer.coordinator.scenario import Scenario
from optimizer.model import Group, IntArray
from optimizer.scenarios import Event, Running, as_stated, event_of
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


def scenario_of(
    group: Group,
    timed: Iterable[tuple[float, Event]],
    parameters: Parameters,
    rates: Mapping[str, Sequence[float]] = NOTHING,
    down: Mapping[int, Down] = NOTHING,
    peak_rate: float | None = None,
    **settings: Any,
) -> Scenario:
    """A group at rest and what happens to it in events, each with its time in seconds.

    `rates` are records a second of each partition of a topic, and partitions that come have its
    mean; `down` says what is led by brokers that go down; `peak_rate` is that of `parameters`
    without one; other `settings` are those of a `Scenario`. Raises NotApplicableError for an event
    that the group can't have.
    """
    happening = [*timed]
    at_start = as_stated(group, (event for _, event in happening))
    running = Running(at_start, parameters, {broker: of.with_heirs for broker, of in down.items()})
    steps = running.play(happening)
    sizes = {**at_start.topics, **running.group.topics}
    return Scenario(
        at_start,
        steps,
        client=parameters.client,
        broker=parameters.broker,
        rates={topic: _grown(of, sizes[topic]) for topic, of in rates.items() if topic in sizes},
        peak_rate=peak_rate or parameters.peak_rate,
        **settings,
    )


def simulate_events(
    group: Group, events: Sequence[Event], parameters: Parameters, name: str, **settings: Any
) -> EventsTimeline:
    """Let events happen to a group that is at rest, one after the other.

    Random choices depend on the group's `name`: the same each time. `settings` are those of
    `scenario_of`.
    """
    at, timed = 0.0, []
    for event in events:
        timed.append((at, event))
        at += event.lasts(group) + BETWEEN_SECONDS
    scenario = scenario_of(group, timed, parameters, **settings)
    timeline = simulate(scenario, crc32(name.encode("utf-8", "surrogatepass")), details=False)
    loads = np.array([len(parts) for parts in timeline.final.values()], np.int64)
    return EventsTimeline(timeline, loads)


def _grown(rates: Sequence[float], size: int) -> list[float]:
    """The rates of a topic's partitions, with their mean for those beyond."""
    return [*rates, *[fmean(rates)] * (size - len(rates))] if rates else []


def figures_of(timeline: Timeline) -> dict[str, Any]:
    """What events cost in time, by the names that these figures have in tables.

    Those of lag are None where it is unknown, and `catch_up_seconds` is too where
    `never_caught_up` partitions go on to lag. `fatal` are members that ended by a fatal error:
    refused, or replaced by another instance.
    """
    lag = timeline.lag
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
        "max_lag_records": lag and round(lag.records, 3),
        "max_lag_seconds": lag and round(lag.seconds, 3),
        "catch_up_seconds": lag and lag.catch_up and round(lag.catch_up, 3),
        "never_caught_up": lag and lag.never,
        "fatal": sum(happening.what == "error" for happening in timeline.happenings),
        "at_rest": timeline.stable,
    }


TITLES = {
    "rebalances": "rebalances",
    "moves": "partitions moved",
    "takeovers": "partitions taken over",
    "unread_seconds": "partition-seconds unread",
    "longest_pause": "longest pause (seconds)",
    "stopped_needlessly": "stopped needlessly",
    "read_twice_seconds": "partition-seconds read twice",
    "max_lag_records": "largest lag (records)",
    "max_lag_seconds": "largest lag (seconds)",
    "catch_up_seconds": "catch-up (seconds)",
    "never_caught_up": "never caught up",
}
"""What people call these figures."""

SEEDS = 5
"""Runs that are averaged by default: phases of heartbeats are random."""


@dataclass(frozen=True)
class RebalanceCost:
    """Means over several runs of one event; times are seconds.

    `pauses` are how long each partition went unread, of those that did at all; `settled` is how
    long it takes from the event until the group is at rest.
    """

    rebalances: float
    moved: float
    longest_pause: float
    settled: float
    pauses: Mapping[tuple[str, int], float]

    @property
    def unread_seconds(self) -> float:
        """Partition-seconds in which partitions were unread."""
        return sum(self.pauses.values())


def rebalance_cost(
    group: Group,
    event: Event | str,
    strategy: str,
    parameters: Parameters | None = None,
    seeds: int = SEEDS,
) -> RebalanceCost:
    """What one event, such as `members=6`, costs a group at rest whose members use `strategy`.

    The strategy says which protocol they speak: eager (`range`), cooperative
    (`cooperative-sticky`) or that of KIP-848 (`uniform`). Members with an instance id are static.
    `parameters` are how members and broker are configured, Kafka 4.3.1's defaults if None.

    Raises EventError for an event that makes no sense, NotApplicableError (one of these) for one
    that the group can't have, StrategyError for a strategy that refuses the group.
    """
    happening = event_of(event)
    configured = (parameters or Parameters()).using(strategy, own=False)
    runs = [
        simulate_events(group, [happening], configured, f"seed {seed}").timeline
        for seed in range(seeds)
    ]
    unread: Counter[tuple[str, int]] = Counter()
    for run in runs:
        unread.update(run.unread)
    return RebalanceCost(
        rebalances=fmean(run.rebalances for run in runs),
        moved=fmean(run.moved for run in runs),
        longest_pause=fmean(run.longest_pause for run in runs),
        settled=fmean(run.end / 1000 for run in runs),
        pauses={partition: seconds / seeds for partition, seconds in sorted(unread.items())},
    )
