"""The made-up fleet by the hour: what has happened to it until it came to be as it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from optimizer.model import Flags, IntArray, Reals
from spark.demo.fleet import MadeFleet, make_fleet
from spark.demo.groups import EMPTY, RESTARTED, DemoGroup

HOURS = 48
FORMAT = "%Y%m%dT%H%M%SZ"

DEPLOY, CRASH, SCALE_OUT = "deploy", "crash", "scale-out"
RESTART, RESTLESS = "restart", "restless"

SHARES = {DEPLOY: 0.10, CRASH: 0.03, SCALE_OUT: 0.03}
"""Share of the groups to which each of these happens, one at least; to a group one thing."""

AWAY = 2
"""Snapshots from a crash until the member is back."""

STALLED = 6
"""Hours for which the commits of a stalled group have stood still."""

MUCH = 50_000
"""Lag of a partition that has most of its group's."""

Stages = Sequence[tuple[int, DemoGroup]]
"""A group as it was from each of these snapshots on."""


class Event(NamedTuple):
    """Something that has happened to a group; snapshot `first` is the first that shows it.

    `members` are the ids of those who came or came back, and `rebalances` is by how much the
    group's generation has risen, each hour where it is restless.
    """

    kind: str
    cluster: str
    name: str
    first: int
    members: tuple[str, ...]
    rebalances: int


@dataclass(frozen=True)
class Flow:
    """Records that come and go, group after group, an entry for each partition that one reads.

    `hourly` is what comes in an hour of the day like any other, `final` where the partition ends at
    last. What is committed stays `behind` its end, and goes no further than `stuck`.
    """

    hourly: Reals
    final: IntArray
    behind: IntArray
    stuck: IntArray
    is_new: Flags
    pace: Reals

    def end(self, number: int) -> IntArray:
        """Where partitions end in one snapshot: by day more comes in than by night."""
        left = float(self.pace[number + 1 :].sum())
        return self.final - np.ceil(self.hourly * left).astype(np.int64)

    def committed(self, end: IntArray) -> IntArray:
        """What is committed then: never less than before."""
        return np.minimum(np.maximum(end - self.behind, 0), self.stuck)


@dataclass(frozen=True)
class MadeHistory:
    """A made-up fleet hour by hour; number `hours - 1` is the fleet as it is.

    `events` are what has happened, and `stages` has the groups to which something has, by key.
    """

    fleet: MadeFleet
    events: Sequence[Event]
    stages: Mapping[tuple[int, str], Stages]
    flow: Flow
    hours: int

    def snapshots(
        self, newest: str, last: int | None = None
    ) -> Iterator[tuple[str, dict[str, pa.Table]]]:
        """The id and the tables of each snapshot, or the last ones, oldest first."""
        end = datetime.strptime(newest, FORMAT).replace(tzinfo=UTC)
        for number in range(self.hours - (last or self.hours), self.hours):
            at = end - timedelta(hours=self.hours - 1 - number)
            yield f"{at:{FORMAT}}", self.tables(number)

    def tables(self, number: int) -> dict[str, pa.Table]:
        """All tables of one snapshot."""
        groups = [
            [stage for first, stage in self.stages.get(group.key, [(0, group)]) if first <= number]
            for group in self.fleet.groups
        ]
        end = self.flow.end(number)
        committed = self.flow.committed(end)
        return self.fleet.tables_of([past[-1] for past in groups], end, committed, self.flow.is_new)


def make_history(groups: int, seed: int, hours: int = HOURS) -> MadeHistory:
    """A fleet of `groups` groups and its history; the same for the same seed.

    ValueError if there is no group to make, or there are fewer than 12 hours.
    """
    if hours < 12:
        raise ValueError(f"a history has at least 12 hours, not {hours}")
    fleet = make_fleet(groups, seed)
    flow = _flow(np.random.default_rng([seed, 1]), fleet, hours)
    rng = np.random.default_rng([seed, 2])
    events, stages = [], {}
    for kind, group in _chosen(rng, fleet, hours):
        event, stages[group.key] = _happens(rng, fleet, kind, group, hours)
        events.append(event)
    return MadeHistory(fleet, events, stages, flow, hours)


def demo_fleet(groups: int, seed: int) -> dict[str, pa.Table]:
    """All tables of the newest snapshot of a fleet's history; the same for the same seed."""
    return make_history(groups, seed).tables(HOURS - 1)


def _flow(rng: np.random.Generator, fleet: MadeFleet, hours: int) -> Flow:
    """Most groups follow at once, some hang, evenly; those without members stand for days."""
    topics, rows = fleet.topics, np.concatenate(fleet.rows)
    hourly = topics.rates * 3600
    days = 10 ** rng.uniform(0.3, 2.9, len(topics.names))[topics.of_partition]
    final = 1_000_000 + (hourly * np.maximum(24 * days, 1.5 * hours)).astype(np.int64)
    pace = 1 + 0.4 * np.sin(2 * np.pi * (np.arange(hours) - hours + 7) / 24)
    behind, stood = [], []
    for group, read in zip(fleet.groups, fleet.rows, strict=True):
        most = int(rng.lognormal(np.log(2000), 1)) if rng.random() < 0.1 else 20
        lag = rng.integers(most // 2, most + 1, len(read))
        still = STALLED if group.kind == "stalled" else 0.0
        if group.kind in EMPTY:
            lag[:], still = 0, 1.5 * hours + rng.lognormal(np.log(5 * 24), 1)
        elif group.kind == "hot":
            lag[0] = MUCH
        behind.append(lag)
        stood.append(np.full(len(read), still))
    lost = np.ceil(hourly[rows] * np.concatenate(stood)).astype(np.int64)
    return Flow(
        hourly=hourly[rows],
        final=final[rows],
        behind=np.concatenate(behind),
        stuck=np.maximum(final[rows] - lost, 0),
        is_new=rng.random(len(rows)) < 0.004,
        pace=pace,
    )


def _chosen(
    rng: np.random.Generator, fleet: MadeFleet, hours: int
) -> Iterator[tuple[str, DemoGroup]]:
    """What happens, and to which group: the one with the most rebalances has them all the time."""
    yield from ((RESTART, group) for group in fleet.groups if group.kind == "restarting")
    plain = [group for group in fleet.groups if group.kind == "ordinary" and not group.inferred]
    plain.sort(key=lambda group: group.generation)
    if plain and plain[-1].generation >= hours:
        yield RESTLESS, plain.pop()
    for kind, share in SHARES.items():
        fit = [group for group in plain if _is_fit(kind, group)]
        count = min(len(fit), max(1, round(share * len(fleet.groups))))
        for at in rng.permutation(len(fit))[:count].tolist():
            plain.remove(fit[at])
            yield kind, fit[at]


def _is_fit(kind: str, group: DemoGroup) -> bool:
    """Whether it has members enough for that, generations enough, and static ids or none."""
    count, static = len(group.members.roles), np.count_nonzero(group.members.instance_ids)
    if kind == DEPLOY:
        is_old = group.generation > 2 * count
        return count >= 2 and (static == count or (is_old and not static))
    return count >= 4 and group.generation > 2 and not static


def _happens(
    rng: np.random.Generator, fleet: MadeFleet, kind: str, group: DemoGroup, hours: int
) -> tuple[Event, Stages]:
    """One event with what it makes of the group. Members come back under other ids."""
    first = int(rng.integers(2, hours - AWAY - 1))
    sizes, present = fleet.topics.sizes[group.topics], group.members.present
    if kind == RESTLESS:
        each, present = (group.generation - 1) // (hours - 1), present[:0]
        first, rebalances = 1, each
        stages = [(at, _earlier(group, each * (hours - 1 - at))) for at in range(hours)]
    elif kind == SCALE_OUT:
        present, rebalances = present[: len(present) // 3], 1
        stages = [(0, _earlier(group.without(present, sizes), 1)), (first, group)]
    elif kind == CRASH:
        present, rebalances = rng.choice(present, 1), 2
        before = replace(group, members=group.members.rejoined(rng, present))
        away = _earlier(group.without(present, sizes), 1)
        stages = [(0, _earlier(before, 2)), (first, away), (first + AWAY, group)]
    else:
        if kind == RESTART:
            first, present = hours - 1, present[:RESTARTED]
        # each one leaves and joins; of a static one the coordinator only changes the id
        rebalances = 2 * np.count_nonzero(group.members.instance_ids[present] == None)  # noqa: E711
        rebalances = min(rebalances, group.generation - 1)
        before = replace(group, members=group.members.rejoined(rng, present))
        stages = [(0, _earlier(before, rebalances)), (first, group)]
    ids = tuple(group.members.member_ids[present].tolist())
    return Event(kind, fleet.cluster_of(group), group.name, first, ids, rebalances), stages


def _earlier(group: DemoGroup, rebalances: int) -> DemoGroup:
    return replace(group, generation=group.generation - rebalances)
