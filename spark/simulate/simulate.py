"""Let a scenario happen to one group of a store."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from optimizer.coordinator import Parameters, Scenario, Timeline, scenario_of, simulate
from optimizer.model import StrategyError, classes_of, group_of
from optimizer.scenarios import EventError, Scenario as Events
from spark.charts import CHARTS
from spark.errors import InputError
from spark.fleet import (
    CONNECT,
    Composition,
    FleetFiles,
    FleetSnapshot,
    evenly,
    plain_rows,
    time_of,
    whole,
    within_reach,
)
from spark.groups import EncodedRow, check_assignor, one_row, own_strategy, read_or_failed
from spark.notebook import shown_in_notebook
from spark.settings import NO_CONSUMERS, FleetConsumers, example_file, kind_of, read_toml
from spark.simulate.account import rows_of, sentences_of
from spark.store import Folder, Opener, Where

RATE_SNAPSHOTS = 3
"""Snapshots that give rates: only their average is needed."""

Rates = Mapping[str, Sequence[float]]
"""Records a second of each partition of a topic, 0 where it isn't known."""

Partition = tuple[str, int]


class Flow(NamedTuple):
    """Flow into the topics of a group, and the most that one of its members was seen to read.

    Records a second; None where that isn't known.
    """

    rates: Rates
    peak_rate: float | None = None


def rates_of_group(
    opener: Opener,
    store: Where,
    newest: FleetSnapshot | FleetFiles,
    group: str,
    window: timedelta,
    cluster: str,
) -> Flow:
    """Mean flow over a window that ends with the snapshot of the group's cluster.

    `newest` knows that one, and `opener` is of their store. Pairs of snapshots count between which
    the end of a partition didn't fall. Nothing where the store has no two snapshots with offsets of
    this group in that time. InputError and UnreadableError are those of `FleetFiles.rows`.
    """
    stored = whole(opener, store, newest.clusters().get(cluster, newest.id))
    near = within_reach([*stored.newest_first()][::-1], window)
    ends: dict[Partition, tuple[float, int]] = {}
    grown: defaultdict[Partition, list[float]] = defaultdict(list)
    most, since, before = 0.0, 0.0, dict[Partition, tuple[str, int]]()
    for snapshot in evenly(near, RATE_SNAPSHOTS):
        of, time = Composition(snapshot), time_of(snapshot)
        assert time is not None
        fleet = (
            FleetFiles.compose(opener, of)
            if isinstance(opener, Folder)
            else FleetSnapshot.compose(opener, store, of)
        )
        now, committed = time.timestamp(), dict[Partition, int]()
        for topic, number, end, offset in plain_rows(fleet, "offsets", OFFSETS, cluster, group):
            key = topic, number
            if end is not None and end >= 0:
                at, earlier = ends.get(key, (now, end))
                if at < now and end >= earlier:
                    grown[key].append((end - earlier) / (now - at))
                ends[key] = now, end
            if offset is not None and offset >= 0:
                committed[key] = offset
        owned = {
            (topic, number): (member, committed[topic, number])
            for topic, number, member in plain_rows(fleet, "assignments", OWNER, cluster, group)
            if (topic, number) in committed
        }
        read: Counter[str] = Counter()  # by members of what they owned at both ends
        for key in owned.keys() & before.keys():
            (member, offset), (owner, earlier) = owned[key], before[key]
            if member == owner:
                read[member] += max(offset - earlier, 0)
        most = max([most, *(records / (now - since) for records in read.values())])
        since, before = now, owned
    return Flow(_by_topic({key: fmean(grown[key]) for key in sorted(grown)}), most or None)


OFFSETS = ("topic", "partition", "end_offset", "committed_offset")
OWNER = ("topic", "partition", "member_id")


def _by_topic(rates: Mapping[Partition, float]) -> Rates:
    sizes: dict[str, int] = {}
    for topic, partition in sorted(rates):
        sizes[topic] = partition + 1
    return {
        topic: [rates.get((topic, number), 0.0) for number in range(size)]
        for topic, size in sizes.items()
    }


RatesOf = Callable[[str], Flow]
"""Flow into the topics that the group reads, by its cluster."""


@dataclass(frozen=True)
class GroupSimulation:
    """A group's timeline in a scenario, and what it went by; the latter two are long."""

    cluster: str
    group: str
    strategy: str
    parameters: Parameters
    events: Events
    scenario: Scenario = field(repr=False)
    timeline: Timeline = field(repr=False)

    def chart(self) -> Any:
        """Spans in which each member reads; InputError where Altair isn't installed."""
        return CHARTS["timeline"].chart(spans_of(self.timeline))

    def _repr_html_(self) -> str:
        sentences = [*sentences_of(self.timeline, self.group)]
        return shown_in_notebook(sentences, ("seconds", "member", "what"), rows_of(self.timeline))

    def by_chance(self, seeds: Iterable[int]) -> list[Timeline]:
        """The timelines of the same scenario for other seeds: what chance makes of it."""
        return [simulate(self.scenario, seed) for seed in seeds]


def scenario_in(path: Path) -> Events:
    """The scenario that a TOML file states; InputError tells all that is wrong with it.

    A name without an ending, such as `rolling-deploy`, is that of a scenario in conf/.
    """
    try:
        is_name = path.name == str(path) and not path.suffix and not path.exists()
        return Events.of_table(read_toml(example_file(path.name) if is_name else path, "scenario"))
    except EventError as error:
        raise InputError(f"scenario {path}: {error}") from None


check_group = one_row
"""Raises InputError when there is no such group, or several clusters have one."""


def simulate_group(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    scenario: Events,
    cluster: str | None = None,
    seed: int = 0,
    consumers: FleetConsumers = NO_CONSUMERS,
    rates_of: RatesOf | None = None,
) -> GroupSimulation:
    """Simulate a group in a scenario: as it was found, at rest, with its own strategy.

    `consumers` says how its members are configured, `rates_of` what comes in to what the group
    reads in its cluster. InputError when there is no such group, when it can't be simulated, or
    when it can't have an event.
    """
    row = one_row(snapshot, group, cluster, racks=True)
    return simulate_row(row, scenario, consumers, seed, rates_of)


def simulate_row(
    row: EncodedRow,
    scenario: Events,
    consumers: FleetConsumers,
    seed: int = 0,
    rates_of: RatesOf | None = None,
) -> GroupSimulation:
    """Simulate an encoded group with racks in a scenario; see `simulate_group`."""
    group, strategy, read = row.group, own_strategy(row), read_or_failed(row)
    if kind_of(row.type) == CONNECT:
        raise InputError(f"group {group} is of Kafka Connect's workers, which aren't simulated")
    if read.problem is None:
        raise InputError(f"group {group} can't be simulated: it is {read.status} ({read.reason})")
    parameters = consumers.parameters(row.cluster, group).using(strategy, own=True)
    stored = rates_of(row.cluster) if rates_of else Flow({})
    sizes = zip(read.problem.topics, read.problem.topic_sizes.tolist(), strict=True)
    fixed = {topic: [scenario.rates[topic]] * n for topic, n in sizes if topic in scenario.rates}
    try:
        check_assignor(row, read.problem)
        case = scenario_of(
            group_of(read.problem, classes_of(read.problem).kept),
            scenario.steps,
            parameters,
            rates={**stored.rates, **fixed},
            peak_rate=scenario.peak_rate,
            seen_peak_rate=stored.peak_rate,
            end=None if scenario.seconds is None else scenario.seconds * 1000,
        )
    except StrategyError as error:
        raise InputError(f"group {group} can't be simulated: {error}") from None
    except EventError as error:
        raise InputError(f"group {group} can't have this scenario: {error}") from None
    timeline = simulate(case, seed)
    return GroupSimulation(row.cluster, group, strategy, parameters, scenario, case, timeline)


MEMBERS = 24
"""Members that are described: those whose assignment changes most often."""

Span = tuple[float, float]


def spans_of(timeline: Timeline) -> list[dict[str, Any]]:
    """Rows of the chart `timeline`: lag, each member, and what nobody reads.

    A group at rest is shown for a tenth of the time more, so that it is seen.
    """
    ends = timeline.end + (timeline.end / 10 if timeline.stable else 0)
    reads: dict[str, list[Span]] = {name: [] for name in timeline.lives}
    for reading in timeline.readings:
        until = ends if reading.end >= timeline.end else reading.end
        reads[timeline.lives[reading.member]].append((reading.start, until))
    steps = {name: _steps(spans) for name, spans in reads.items()}
    shown = sorted(steps, key=lambda name: (-len(steps[name]), name))[:MEMBERS]
    pauses = [(pause.start, pause.end) for pause in timeline.pauses]
    pauses += [(since, ends) for since in timeline.unread_at_end.values()]
    lanes: list[tuple[str | None, list[tuple[float, float, int]]]]
    lanes = [*((name, steps[name]) for name in sorted(shown)), (None, _steps(pauses))]
    course = timeline.lag.course if timeline.lag else []
    lag = [{"at": time / 1000, "lag": records} for time, records in course]
    return lag + [
        {"member": name, "start": start / 1000, "end": end / 1000, "partitions": count}
        for name, of_lane in lanes
        for start, end, count in of_lane
    ]


def _steps(spans: Iterable[Span]) -> list[tuple[float, float, int]]:
    """From when to when how many of the spans last, where any do."""
    changes: Counter[float] = Counter()
    for start, end in spans:
        changes[start] += 1
        changes[end] -= 1
    times = sorted(changes)
    counts = accumulate(changes[time] for time in times)
    steps = zip(pairwise(times), counts, strict=False)
    return [(at, until, count) for (at, until), count in steps if count]
