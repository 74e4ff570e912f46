"""The made-up fleet by the hour: what has happened to it until it came to be as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

from optimizer.model import Flags, IntArray, Reals
from spark.demo.fleet import MadeFleet, make_fleet
from spark.demo.groups import EAGER, RESTARTED, DemoGroup

HOURS = 48
FORMAT = "%Y%m%dT%H%M%SZ"

STALLED = 6
"""Hours, about, for which the commits of a stalled group have stood still."""

MUCH = 50_000
"""Lag of a partition that has most of its group's."""

Stages = Sequence[tuple[int, DemoGroup]]
"""A group as it was from each of these snapshots on."""


@dataclass(frozen=True)
class RecordFlow:
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

    def commits_at(self, end: IntArray) -> IntArray:
        """Offsets committed then: never less than before."""
        return np.asarray(np.minimum(np.maximum(end - self.behind, 0), self.stuck))


@dataclass(frozen=True)
class MadeHistory:
    """A made-up fleet hour by hour; number `hours - 1` is the fleet as it is.

    `stages` are what each group has been, the last time as in the fleet.
    """

    fleet: MadeFleet
    stages: Sequence[Stages]
    flow: RecordFlow
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
            [group for first, group in stages if first <= number][-1] for stages in self.stages
        ]
        end = self.flow.end(number)
        committed = self.flow.commits_at(end)
        return self.fleet.tables_of(groups, end, committed, self.flow.is_new)


def make_history(groups: int, seed: int, hours: int = HOURS) -> MadeHistory:
    """A fleet of `groups` groups and its history; the same for the same seed.

    ValueError if there is no group to make, or there are fewer than 12 hours.
    """
    if hours < 12:
        raise ValueError(f"a history has at least 12 hours, not {hours}")
    fleet = make_fleet(groups, seed)
    flow = _flow(np.random.default_rng([seed, 1]), fleet, hours)
    rng = np.random.default_rng([seed, 2])
    stages = [_stages(rng, group, hours) for group in fleet.groups]
    return MadeHistory(fleet, stages, flow, hours)


def demo_fleet(groups: int, seed: int) -> dict[str, pa.Table]:
    """All tables of the newest snapshot of a fleet's history; the same for the same seed."""
    return make_history(groups, seed).tables(HOURS - 1)


def _flow(rng: np.random.Generator, fleet: MadeFleet, hours: int) -> RecordFlow:
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
        if group.state == "Empty":
            lag[:], still = 0, 1.5 * hours + rng.lognormal(np.log(5 * 24), 1)
        elif group.kind == "hot":
            lag[0] = MUCH
        behind.append(lag)
        stood.append(np.full(len(read), still))
    lost = np.ceil(hourly[rows] * np.concatenate(stood)).astype(np.int64)
    return RecordFlow(
        hourly=hourly[rows],
        final=final[rows],
        behind=np.concatenate(behind),
        stuck=np.maximum(final[rows] - lost, 0),
        is_new=rng.random(len(rows)) < 0.004,
        pace=pace,
    )


def _stages(rng: np.random.Generator, group: DemoGroup, hours: int) -> Stages:
    """The group before something happened to it, and after: members come back under other ids.

    To most groups nothing has.
    """

    def earlier(was: DemoGroup, rebalances: int) -> DemoGroup:
        """The group before those rebalances, in which members came back."""
        members = was.members.rejoin(rng, who)
        return replace(was, members=members, generation=was.generation - rebalances)

    who, first, luck = group.members.present, int(rng.integers(2, hours - 3)), rng.random()
    if group.kind == "restarting":
        each = min(2 * RESTARTED, (group.generation - 1) // (hours - 1))
        who = who[:RESTARTED]
        before = [(at, earlier(group, each * (hours - 1 - at))) for at in range(hours - 1)]
        return [*before, (hours - 1, group)]
    if group.kind != "ordinary":
        return [(0, group)]
    # a deploy: each member leaves and joins; of a static one only the id is another
    rebalances = 2 * sum(instance is None for instance in group.members.instance_id)
    if luck < 0.3 and len(who) >= 2 and group.generation > rebalances:
        return [(0, earlier(group, rebalances)), (first, group)]
    # a crash: the member is away for two hours
    if luck > 0.7 and len(who) >= 4 and group.generation > 2 and group.strategy not in EAGER:
        who = rng.choice(who, 1)
        away = earlier(group.without(int(who[0])), 1)
        return [(0, earlier(group, 2)), (first, away), (first + 2, group)]
    return [(0, group)]
