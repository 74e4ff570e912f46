"""A fleet's groups under each policy, inside workers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame

from optimizer.scaling import least_costs, replay
from spark.fleet import MAX_AGE, FleetSnapshot
from spark.groups import Cells, encode, failed, in_workers, schema_of
from spark.history import FleetRates
from spark.scale.arrivals import arrivals_of
from spark.scale.group_process import GroupProcess, Recorded, Unscaled, process_of
from spark.scale.group_rows import Replayed, course_rows, scale_rows
from spark.scale.policies_file import ScaleSettings
from spark.scale.scale_row import CourseRow, ScaleRow
from spark.settings import NO_CONSUMERS, FleetConsumers
from spark.unpersist_handle import Handle


@dataclass(frozen=True)
class FleetScale(Handle):
    """What each policy would have done with the groups of a fleet.

    `groups` has a row (cluster, group, policy): see `ScaleRow`; `courses` one more for each
    interval: see `CourseRow`. Each is worked out when it is first used.
    """

    groups: DataFrame
    courses: DataFrame

    def release(self) -> None:
        """Free what is kept."""
        self.groups.unpersist()


def scale_fleet(
    snapshot: FleetSnapshot,
    rates: FleetRates,
    settings: ScaleSettings | None = None,
    consumers: FleetConsumers = NO_CONSUMERS,
    max_age: timedelta = MAX_AGE,
) -> FleetScale:
    """Replay policies over the time that `rates` are of, for each group of the snapshot.

    Groups keep the topics, the strategy and the subscriptions that the snapshot has. Intervals
    longer than `max_age` don't count. InputError for null keys.
    """
    chosen = settings or ScaleSettings()
    encoded = encode(snapshot.validate(), more=arrivals_of(snapshot, rates))
    work = _Work(Recorded.of(rates.window, max_age), chosen, consumers)
    groups = in_workers(encoded, schema_of(ScaleRow), work.scale_cells).persist()
    return FleetScale(groups, in_workers(encoded, schema_of(CourseRow), work.course_cells))


@dataclass(frozen=True)
class _Work:
    recorded: Recorded
    settings: ScaleSettings
    consumers: FleetConsumers

    def scale_cells(self, rows: list[Any]) -> list[Cells]:
        """A row for each group and policy."""
        return [
            item.cells()
            for of_group in self._replayed(rows)
            for item in scale_rows(of_group, self.settings)
        ]

    def course_cells(self, rows: list[Any]) -> list[Cells]:
        """A row for each group, policy and interval."""
        return [
            item.cells()
            for of_group in self._replayed(rows)
            for item in course_rows(of_group, self.recorded.instants[of_group.row.cluster])
        ]

    def _replayed(self, rows: Sequence[Any]) -> Iterator[Replayed]:
        """The groups of a cluster have the same instants: they are replayed together."""
        of_cluster: dict[str, list[tuple[Any, GroupProcess]]] = defaultdict(list)
        for row in rows:
            process = process_of(row, self.recorded, self.settings, self.consumers)
            if isinstance(process, Unscaled):
                yield Replayed(row, process)
            else:
                of_cluster[row.cluster].append((row, process))
        for entries in of_cluster.values():
            yield from self._of_cluster(entries)

    def _of_cluster(self, entries: list[tuple[Any, GroupProcess]]) -> Iterator[Replayed]:
        """One group that fails doesn't stop the others: each is then replayed by itself."""
        settings = self.settings
        try:
            processes = [item.process for _, item in entries]
            courses = replay(processes, settings.policies, settings.prices, settings.step_seconds)
            bounds = least_costs(processes, settings.prices, settings.step_seconds)
        except Exception as error:
            if len(entries) > 1:
                for entry in entries:
                    yield from self._of_cluster([entry])
                return
            group = failed(error)
            yield Replayed(entries[0][0], Unscaled(group.status, group.reason or ""))
            return
        for (row, process), of_group, bound in zip(entries, courses, bounds, strict=True):
            yield Replayed(row, process, of_group, float(bound))
