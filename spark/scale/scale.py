"""A fleet's groups under each policy, inside workers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import DataFrame, functions as F

from optimizer.model import IntArray
from optimizer.scaling import replay
from spark.charts import CHARTS
from spark.errors import InputError
from spark.fleet import MAX_AGE, FleetSnapshot, as_rows, is_named
from spark.groups import FleetGroup, columns_of, encode, failure_of, in_workers
from spark.history import FleetRates
from spark.notebook import shown_in_notebook
from spark.scale.advice import savings_first, verdict_of
from spark.scale.group_process import GroupProcess, arrivals_of, instants_of, process_of
from spark.scale.policies_file import ScaleSettings
from spark.scale.scale_row import COURSE, CourseRow, ScaleRow, course_rows, unscaled_rows
from spark.settings import NO_CONSUMERS, FleetConsumers
from spark.store import Where, in_one_file, write_tables
from spark.unpersist_handle import Handle

GROUPS_A_TASK = 150
"""Groups of a task are replayed in the same steps: 150 take as long as 50 in three tasks each."""

KEYS = ("cluster", "group", "policy")


class ScaleTables(NamedTuple):
    """A row for each group and policy, and for each policy what it comes to over the fleet."""

    groups: list[dict[str, Any]]
    league: list[dict[str, Any]]


@dataclass(frozen=True)
class FleetScale(Handle):
    """Policies replayed on the groups of a fleet.

    `rows` has a `CourseRow` for each group and policy; it is worked out at its first use and kept
    until `release`, which the end of a with statement calls.
    """

    rows: DataFrame

    @property
    def groups(self) -> DataFrame:
        """A row (cluster, group, policy): see `ScaleRow`."""
        return self.rows.select(*columns_of(ScaleRow))

    @property
    def courses(self) -> DataFrame:
        """A row (cluster, group, policy, at) for each interval between snapshots.

        It begins at `at` (seconds since 1970) and has `seconds`, 0 where it doesn't count.
        `members` are those at its end, `arrivals` records a second; `lag` is that at its end in
        records, `lag_seconds` the worst in it.
        """
        columns = [f"course_{name}" for name in COURSE]
        zipped = F.explode(F.arrays_zip(*columns)).alias("course")
        rows = self.rows.where("status = 'ok'").select("cluster", "group", "policy", zipped)
        named = [F.col(f"course.course_{name}").alias(name) for name in COURSE]
        return rows.select("cluster", "group", "policy", *named)

    def collect(self) -> ScaleTables:
        """The tables that people and programs see."""
        return ScaleTables(
            as_rows(self.groups.orderBy(*KEYS)), as_rows(fleet_of_scale(self.groups))
        )

    def write(self, out: Where, snapshot: str) -> None:
        """The tables `scale` and `courses` of that snapshot."""
        tables = {
            "scale": in_one_file(self.groups, *KEYS),
            "courses": in_one_file(self.courses, *KEYS, "at"),
        }
        write_tables(self.rows.sparkSession, out, snapshot, tables)

    def chart(self, group: str, cluster: str | None = None) -> Any:
        """Members, lag and arrivals of one group under each policy.

        InputError where no such group was replayed, and where Altair isn't installed.
        """
        wanted = is_named("group", [group])
        if cluster is not None:
            wanted &= is_named("cluster", [cluster])
        rows = self.courses.where(wanted).orderBy("cluster", "policy", "at").collect()
        if not rows:
            raise InputError(f"group {group} wasn't replayed: `groups` says why")
        drawn = [row.asDict() for row in rows if row.cluster == rows[0].cluster]
        for row in drawn:
            row["instant"] = datetime.fromtimestamp(row["at"], UTC).isoformat()
        return CHARTS["scaling"].chart(drawn)

    def _repr_html_(self) -> str:
        rows = [row.asDict() for row in self.groups.collect()]
        first = savings_first(rows)
        columns = "policy", "member_hours", "late_partition_hours", "rebalances", "cost"
        return shown_in_notebook([verdict_of(rows)], ("cluster", "group", *columns), first)

    def release(self) -> None:
        """Free what is kept."""
        self.rows.unpersist()


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
    scale_settings = settings or ScaleSettings()
    groups = snapshot.tables["members"].select("cluster", "group").distinct().count()
    tasks = max(1, -(-groups // GROUPS_A_TASK))
    encoded = encode(snapshot.validate(), more=arrivals_of(snapshot, rates), tasks=tasks)
    instants, longest = instants_of(rates.window), max_age.total_seconds()
    work = _Work(instants, longest, scale_settings, consumers)
    return FleetScale(in_workers(encoded, CourseRow, work.rows).persist())


@dataclass(frozen=True)
class _Work:
    instants: Mapping[str, IntArray]
    longest: float
    settings: ScaleSettings
    consumers: FleetConsumers

    def rows(self, rows: list[Any]) -> Iterator[CourseRow]:
        """A row for each group and policy.

        Groups whose clusters have the same instants are replayed alike, in the same steps.
        """
        by_instants: dict[bytes, list[tuple[Any, GroupProcess]]] = defaultdict(list)
        for row in rows:
            instants = self.instants.get(row.cluster, np.empty(0, np.int64))
            try:
                group = process_of(row, instants, self.longest, self.settings, self.consumers)
            except Exception as error:
                group = failure_of(error)
            if isinstance(group, FleetGroup):
                yield from unscaled_rows(row, group, self.settings)
            else:
                by_instants[group.instants.tobytes()].append((row, group))
        for alike in by_instants.values():
            yield from self._replay(alike)

    def _replay(self, groups: list[tuple[Any, GroupProcess]]) -> Iterator[CourseRow]:
        """One group that fails doesn't stop the others: each is then replayed by itself."""
        settings = self.settings
        try:
            processes = [group.process for _, group in groups]
            courses = replay(processes, settings.policies, settings.prices, settings.step_seconds)
        except Exception as error:
            if len(groups) == 1:
                yield from unscaled_rows(groups[0][0], failure_of(error), settings)
            else:
                for entry in groups:
                    yield from self._replay([entry])
            return
        for (row, group), of_group in zip(groups, courses, strict=True):
            yield from course_rows(row, group, of_group, settings)


SUMMED = (
    *("member_hours", "late_partition_hours", "rebalances", "changes", "unread_seconds", "cost"),
)
"""Columns of a `ScaleRow` whose sums are those of the fleet."""


def fleet_of_scale(groups: DataFrame) -> DataFrame:
    """A row a policy: sums over the groups that could be replayed.

    Those that meet the SLO in the most groups come first, of these the cheapest. `groups` are all,
    `recommended` those for which it is, `meets_slo` those in which it meets the SLO; `on_time` is
    the mean share of the time.
    """
    sums = (
        groups.where("status = 'ok'")
        .groupBy("policy")
        .agg(
            F.count("*").alias("groups"),
            F.count_if("recommended").alias("recommended"),
            F.count_if("meets_slo").alias("meets_slo"),
            *(F.sum(name).alias(name) for name in SUMMED),
            F.avg("on_time").alias("on_time"),
        )
    )
    return sums.orderBy(F.desc("meets_slo"), "cost", "policy")
