"""The made-up fleet by the hour: what has happened to it until it came to be as it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.demo.events import GROWTH, MISSING, RESTLESS, Event, before, earlier
from spark.demo.fleet import MadeFleet, make_fleet
from spark.demo.flow import Flow
from spark.demo.groups import RESTARTED, DemoGroup, group_before
from spark.demo.planting import planted

HOURS = 48

FORMAT = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class MadeHistory:
    """A made-up fleet hour by hour; number `hours - 1` is the fleet as it is.

    `events` are what was planted. The newest snapshot is that of `fleet`, but for the offsets of
    groups that fall behind, are stalled, or have nobody.
    """

    fleet: MadeFleet
    events: Sequence[Event]
    seed: int
    hours: int = HOURS

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
        groups = [self._group(at, number) for at in range(len(self.fleet.groups))]
        entries = [self._flow.of_group[at] for at, group in enumerate(groups) if group]
        rows = np.concatenate(entries)
        end = self._flow.end(number)
        tables = self.fleet.tables_of(
            [group for group in groups if group],
            end[rows],
            self._flow.committed(number, end)[rows],
            self.fleet.offsets.never[rows],
        )
        for event in self.events:
            tables = _as_seen(tables, event, number)
        return tables

    def _group(self, at: int, number: int) -> DemoGroup | None:
        """One group as it was; None while it wasn't there."""
        group, rng = self.fleet.groups[at], np.random.default_rng([self.seed, at])
        if group.kind in ("shuffled", "restarting") and number < self.hours - 1:
            return earlier(group_before(rng, group), min(RESTARTED, group.generation - 1))
        sizes = self.fleet.topics.known_sizes[group.topics]
        demo_group: DemoGroup | None = group
        for event in self._of_group.get(group.key, ()):
            if demo_group and event.kind == RESTLESS:
                demo_group = earlier(demo_group, event.rebalances * (self.hours - 1 - number))
            elif demo_group:
                demo_group = before(rng, demo_group, event, number, sizes)
        return demo_group

    @cached_property
    def _of_group(self) -> Mapping[tuple[int, str], list[Event]]:
        """The events that change a group, by its key; of a topic that grows its readers."""
        clusters = {cluster.name: at for at, cluster in enumerate(self.fleet.clusters)}
        result: dict[tuple[int, str], list[Event]] = {}
        for event in self.events:
            cluster = clusters[event.cluster]
            if event.kind == GROWTH:
                for group in self.fleet.groups:
                    read = [self.fleet.topics.names[topic] for topic in group.topics.tolist()]
                    if group.cluster == cluster and event.name in read:
                        result.setdefault(group.key, []).append(event)
            else:
                result.setdefault((cluster, event.name), []).append(event)
        return result

    @cached_property
    def _flow(self) -> Flow:
        return Flow.of(self.fleet, self.events, self.hours)


def _as_seen(tables: dict[str, pa.Table], event: Event, number: int) -> dict[str, pa.Table]:
    """The tables without what isn't there yet, or at the moment."""
    if event.kind == MISSING and event.first <= number <= event.last:
        return {
            name: table.filter(pc.not_equal(table["cluster"], event.cluster))
            for name, table in tables.items()
        }
    if event.kind == GROWTH and number < event.first:
        of_topic = ("partitions", "assignments", "offsets")
        return tables | {name: _before_growth(tables[name], event) for name in of_topic}
    return tables


def _before_growth(table: pa.Table, event: Event) -> pa.Table:
    is_it = pc.and_(pc.equal(table["cluster"], event.cluster), pc.equal(table["topic"], event.name))
    is_new = pc.greater_equal(table["partition"], event.partitions)
    return table.filter(pc.invert(pc.and_(is_it, is_new)))


def make_history(groups: int, seed: int, hours: int = HOURS) -> MadeHistory:
    """A fleet of `groups` groups and its history; the same for the same seed.

    ValueError if there is no group to make, or there are fewer than 12 hours.
    """
    if hours < 12:
        raise ValueError(f"a history has at least 12 hours, not {hours}")
    fleet = make_fleet(groups, seed)
    events = planted(np.random.default_rng([seed, hours]), fleet, hours)
    return MadeHistory(fleet, events, seed, hours)
