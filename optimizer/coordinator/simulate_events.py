"""Cost of events in time: a group and its coordinator, simulated."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import reduce
from statistics import fmean
from typing import Annotated, Any, NamedTuple, cast
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
        rates={topic: _extend(of, sizes[topic]) for topic, of in rates.items() if topic in sizes},
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


def _extend(rates: Sequence[float], size: int) -> list[float]:
    """The rates of a topic's partitions, with their mean for those beyond."""
    return [*rates, *[fmean(rates)] * (size - len(rates))] if rates else []


Count = Annotated[int | None, "int"]
Sum = Annotated[int | None, "bigint"]
Amount = Annotated[float | None, "double"]
Flag = Annotated[bool | None, "boolean"]
"""Types of columns of cost, in Python and in SQL."""


def _cost(
    of: str, title: str = "", fleet: str = "sum", digits: int | None = 3
) -> Mapping[str, Any]:
    """Of a column: which attribute of a `Timeline` it is, rounded to `digits`, and its title.

    A `fleet` has the sum of its groups, or the worst group's.
    """
    return {"of": of, "title": title, "fleet": fleet, "digits": digits}


@dataclass(kw_only=True)
class EventCost:
    """Cost of events to a group in time: the columns of all tables that say so.

    What isn't known is None: columns of records without rates, and those of lag without rates and
    what members can read.
    """

    rebalances: Count = field(default=None, metadata=_cost("rebalances", "rebalances"))
    """Generations, or targets of KIP-848."""
    moves: Sum = field(default=None, metadata=_cost("moved", "partitions moved"))
    """How often a partition changed hands whose owner was still there."""
    takeovers: Sum = field(default=None, metadata=_cost("taken_over", "partitions taken over"))
    """How often one did whose owner was gone."""
    unread_seconds: Amount = field(
        default=None, metadata=_cost("unread_seconds", "partition-seconds unread")
    )
    """Partition-seconds in which nobody read a partition."""
    longest_pause: Amount = field(
        default=None, metadata=_cost("longest_pause", "longest pause (seconds)", "worst")
    )
    """Seconds in which one partition was not read."""
    stopped_needlessly: Sum = field(
        default=None, metadata=_cost("stopped_needlessly", "stopped needlessly")
    )
    """How often a partition stopped for a rebalance and kept its member."""
    read_twice_seconds: Amount = field(
        default=None, metadata=_cost("seconds_read_twice", "partition-seconds read twice")
    )
    """Partition-seconds that are read again since they weren't committed."""
    records_read_twice: Amount = field(
        default=None, metadata=_cost("records_read_twice", digits=None)
    )
    """Records that are read again since they weren't committed."""
    records_waited: Amount = field(default=None, metadata=_cost("records_waited", digits=None))
    """Records that came in while their partition was not read."""
    max_lag_records: Amount = field(
        default=None, metadata=_cost("lag.records", "largest lag (records)", "worst")
    )
    """The most that the group was behind."""
    max_lag_seconds: Amount = field(
        default=None, metadata=_cost("lag.seconds", "largest lag (seconds)", "worst")
    )
    """The most that one partition was behind, in what comes in."""
    catch_up_seconds: Amount = field(
        default=None, metadata=_cost("lag.catch_up", "catch-up (seconds)", "worst")
    )
    """The longest that a partition took to catch up once it was read again; None where
    `never_caught_up` partitions get more than their members can read."""
    never_caught_up: Count = field(default=None, metadata=_cost("lag.never", "never caught up"))
    """Partitions that get more than their members can read."""
    fatal: Count = field(default=None, metadata=_cost("fatal"))
    """Members that ended by a fatal error: refused, or replaced by another of their instance id."""
    at_rest: Flag = field(default=None, metadata=_cost("stable", fleet="", digits=None))
    """Whether the group was at rest again at the end."""


SUMMED_COSTS, WORST_COSTS = (
    tuple(column.name for column in fields(EventCost) if column.metadata["fleet"] == fleet)
    for fleet in ("sum", "worst")
)
"""Columns of which a fleet has the sum of its groups, and of which it has the worst group's."""

TITLES = {column.name: column.metadata["title"] for column in fields(EventCost)}
"""The titles of these figures; empty where they aren't shown."""


def figures_of(timeline: Timeline) -> dict[str, Any]:
    """A timeline's cost: the columns of `EventCost`."""
    return {column.name: _figure(timeline, **column.metadata) for column in fields(EventCost)}


def _figure(timeline: Timeline, of: str, digits: int | None, **_: str) -> Any:
    parts = of.split(".")
    number = reduce(lambda part, name: part and getattr(part, name), parts, cast(Any, timeline))
    return number if digits is None or number is None else round(number, digits)


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
    """Cost of one event, such as `members=6`, to a group at rest whose members use `strategy`.

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
