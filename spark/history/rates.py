"""How fast each partition of a fleet flows, and how fast its groups read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property

from pyspark.sql import DataFrame, functions as F

from spark.errors import InputError
from spark.fleet import (
    GROUP_KEYS,
    MEMBER_KEYS,
    PARTITION_KEYS,
    FleetSnapshot,
    escape,
    escaped_rows,
)
from spark.history.rates_series import TRACK, Doubt, Series, doubts_of
from spark.history.timeline import AT, RateWindow, Timeline, seconds_of
from spark.store import SNAPSHOT, Where, in_one_file, write_tables
from spark.unpersist_handle import Handle

WINDOW, QUANTILE = timedelta(hours=24), 0.95

KEYS = {
    "rates": PARTITION_KEYS,
    "consumption": TRACK,
    "members": MEMBER_KEYS,
}
"""The tables that are written."""


@dataclass(frozen=True)
class FleetRates(Handle):
    """Rates in records a second, of what each cluster's `window` holds; `notes` tell of oddities.

    A rate is of a pair of neighbours: two snapshots between which no other knows the offset. `mean`
    is the mean of a partition's pairs, `quantile` lies between two of them as numpy's does
    (linear), `maximum` is the highest, `pairs` their number: without any they are null. Where an
    offset fell, the series begins again, which `resets` counts, and that pair doesn't count.
    Negative offsets aren't known. `last_seen` is the last snapshot that has the row's key.

    What they are made of is kept from first use until `release`, that of the history included.
    """

    window: RateWindow
    quantile: float
    notes: tuple[str, ...]
    _tables: Mapping[str, DataFrame] = field(repr=False)
    _doubts: list[Doubt] = field(repr=False)
    _series: list[Series] = field(repr=False)

    @cached_property
    def rates(self) -> DataFrame:
        """A row (cluster, topic, partition): what comes in, by the end offsets.

        Where several groups were told an end at one instant, the highest counts.
        """
        return self._series[0].table("rates")

    @cached_property
    def pairs(self) -> DataFrame:
        """A row (cluster, topic, partition) with its `pairs` in order of time, of what comes in.

        Each has `since` and `at` in seconds since 1970, and its `rate`; null where the end fell.
        """
        return self._series[0].table("pairs")

    @cached_property
    def sizes(self) -> DataFrame:
        """A row (cluster, group, at): how many `members` the group had then."""
        placed = self.window.place(self._tables["members"])
        counted = placed.groupBy("cluster", "group", AT).agg(
            F.count("*").cast("int").alias("members")
        )
        return escaped_rows(counted)

    @cached_property
    def present(self) -> DataFrame:
        """A row (cluster, group): how many `members` the last snapshot of its cluster has."""
        last = {cluster: ids[-1:] for cluster, ids in self.window.snapshots.items()}
        members = replace(self.window, snapshots=last).place(self._tables["members"])
        return escaped_rows(members.groupBy(*GROUP_KEYS).agg(F.count("*").alias("members")))

    @cached_property
    def consumption(self) -> DataFrame:
        """A row (cluster, group, topic, partition): see `consumption_frame`."""
        return self._series[0].table("consumption")

    @cached_property
    def backlog(self) -> DataFrame:
        """A row (cluster, group, topic, partition): the `lag` when offsets first name it, `since`.

        Where the group has committed nothing of it since, `uncommitted` is where its log ended.
        """
        return self._series[0].table("backlog")

    @cached_property
    def members(self) -> DataFrame:
        """A row (cluster, group, member_id), of all that were there: what a member reads.

        That is the sum over the partitions that it owned at both ends of a pair: `now` in the
        newest pair, as a `mean`, and the `maximum` that it has been seen to do.
        """
        reads = self._with_owners.table("reads")
        of_pair = reads.groupBy(*MEMBER_KEYS, "since", AT).agg(F.sum("rate").alias("rate"))
        rates = of_pair.groupBy(*MEMBER_KEYS).agg(
            F.max_by("rate", F.struct(AT, "since")).alias("now"),
            F.avg("rate").alias("mean"),
            F.max("rate").alias("maximum"),
            F.count("rate").alias("pairs"),
        )
        seen = self.window.place(self._tables["members"]).groupBy(*MEMBER_KEYS)
        last = seen.agg(F.max(SNAPSHOT).alias("last_seen"))
        return escaped_rows(last.join(rates, list(MEMBER_KEYS), "left").fillna(0, ["pairs"]))

    @cached_property
    def peak_rates(self) -> DataFrame:
        """A row (cluster, group): the most that one of its members has been seen to do."""
        seen = self.members.where("maximum > 0")
        return seen.groupBy(*GROUP_KEYS).agg(F.max("maximum").alias("peak_rates"))

    def read_in(self, snapshot: FleetSnapshot, rows: DataFrame) -> DataFrame:
        """Rows of such a table about topics, for each group that subscribes to them there."""
        of = rows.withColumnsRenamed({"cluster": "of_cluster", "topic": "of_topic"})
        same = [F.expr(escape(name)) == F.col(f"of_{name}") for name in ("cluster", "topic")]
        read = snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
        return read.join(of, same)

    @cached_property
    def commits(self) -> DataFrame:
        """A row (cluster, group): `offsets` and `requests` that it committed a second, at least.

        An offset that two neighbours differ in was committed once or more, and by a request for
        each member that owns such partitions.
        """
        first_and_last = (
            (cluster, float(seconds_of(ids[-1]) - seconds_of(ids[0])))
            for cluster, ids in self.window.snapshots.items()
            if len(ids) > 1
        )
        changed = self._with_owners.table("commits")
        seconds = changed.sparkSession.createDataFrame(
            [*first_and_last], "cluster string, seconds double"
        )
        return (
            changed.groupBy("cluster", "group")
            .agg(
                F.sum("changed").alias("changed"),
                F.expr(f"count(distinct {AT}, coalesce(owner, ''))").alias("asked"),
            )
            .join(F.broadcast(seconds), "cluster")
            .selectExpr(
                *("cluster", "`group`", "changed / seconds as offsets"),
                "asked / seconds as requests",
            )
        )

    @property
    def _with_owners(self) -> Series:
        """The last series, with owners."""
        if not self._series[-1].has_owners:
            more = Series.of(self._tables, self.window, self.quantile, True, self._doubts)
            self._series.append(more)
        return self._series[-1]

    @contextmanager
    def writing(self, out: Where, snapshot: str) -> Iterator[None]:
        """Write the three tables to `out`; they are kept meanwhile."""
        kept = {name: getattr(self, name).persist() for name in KEYS}
        try:
            rows = {name: in_one_file(table, *KEYS[name]) for name, table in kept.items()}
            write_tables(self._series[0].rows.sparkSession, out, snapshot, rows)
            yield
        finally:
            for table in kept.values():
                table.unpersist()

    def release(self) -> None:
        """Free what is kept."""
        for series in self._series:
            series.release()


def fleet_rates(
    tables: Mapping[str, DataFrame],
    timeline: Timeline,
    window: timedelta | str = WINDOW,
    quantile: float = QUANTILE,
    claims: bool = True,
) -> FleetRates:
    """See `FleetHistory.rates`."""
    if not 0 <= quantile <= 1:
        raise InputError(f"quantile {quantile} isn't between 0 and 1, such as 0.95")
    if "offsets" not in tables:
        raise InputError("no snapshot has a table offsets, and rates are made of offsets")
    near = RateWindow.of(timeline, window)
    series = Series.of(tables, near, quantile, claims)
    try:
        doubts, notes = doubts_of(series.table("jumps"), near)
    except BaseException:
        series.release()
        raise
    if doubts:
        series.release()
        series = Series.of(tables, near, quantile, claims, doubts)
    reports = (*near.notes(), *notes)
    return FleetRates(near, quantile, reports, tables, doubts, [series])
