"""A fleet at many instants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property, reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions as F

from optimizer.solver import min_max_load_of
from spark.charts import CHARTS, trend_of
from spark.errors import InputError
from spark.fleet import (
    HISTORY,
    MAX_AGE,
    RESULTS,
    TABLES,
    WHOLE,
    FleetSnapshot,
    Part,
    Team,
    as_rows,
    evenly,
    is_named,
    name_groups,
    within_reach,
)
from spark.groups import in_workers
from spark.history.change_row import GONE, ChangeRow, changes_of, rebalances_of, states_of
from spark.history.group_spans import GroupSpans, RowInTime, encode_changes, spans_of
from spark.history.rates import QUANTILE, WINDOW, FleetRates, fleet_rates
from spark.history.read import read_tables
from spark.history.summary import restless, totals
from spark.history.timeline import Timeline
from spark.history.transition import Moment, changes_between, first_seen, last_seen
from spark.notebook import FIRST, shown_in_notebook
from spark.store import SNAPSHOT, Where, write_by_snapshot
from spark.unpersist_handle import Handle


def change_rows_of(
    group_spans: GroupSpans, tables: Mapping[str, DataFrame], timeline: Timeline
) -> DataFrame:
    """A `ChangeRow` for each group and start of a span, and for each time that a group is gone."""
    encoded = encode_changes(tables, group_spans)
    return in_workers(encoded, ChangeRow, lambda group: rows_of(group, timeline))


def rows_of(group: Iterable[RowInTime], timeline: Timeline) -> Iterator[ChangeRow]:
    """The rows of one group, from its encoded ones in order of time."""
    before: Moment | None = None
    for row in group:
        after = Moment.of(row)
        if before is not None and before.row.end + 1 < row.start:
            yield _row_of_gone(before, timeline, row.start - 1)
            before = None
        yield _change_row(before, after, timeline)
        before = after
    if before is not None and before.row.end < timeline.last(before.row.cluster):
        yield _row_of_gone(before, timeline, timeline.last(before.row.cluster))


def _change_row(before: Moment | None, after: Moment, timeline: Timeline) -> ChangeRow:
    row, group = after.row, after.group
    columns: dict[str, Any] = {}
    if group.problem:
        columns |= after.current_loads(min_max_load_of(group.problem))
    snapshots = timeline.snapshots[row.cluster]
    changes: dict[str, Any] = {}
    if row.start:
        changes = changes_between(before, after) if before else first_seen(after)
        changes["from_snapshot"] = snapshots[row.start - 1]
    return ChangeRow(
        **group.outcome(row),
        snapshot=row.snapshot,
        start=row.start,
        end=row.end,
        type=row.type,
        state=row.state,
        members=len(row.member_ids),
        **columns,
        **changes,
    )


def _row_of_gone(before: Moment, timeline: Timeline, end: int) -> ChangeRow:
    """Of a group that isn't there from after `before` to position `end`."""
    row = before.row
    snapshots = timeline.snapshots[row.cluster]
    return ChangeRow(
        cluster=row.cluster,
        group=row.group,
        snapshot=snapshots[row.end + 1],
        start=row.end + 1,
        end=end,
        status=GONE,
        from_snapshot=snapshots[row.end],
        **last_seen(before),
    )


@dataclass(frozen=True)
class FleetHistory(Handle):
    """The tables of several snapshots of a fleet, each with a column `snapshot` more.

    `timeline` has the snapshots of each cluster: clusters may have been collected apart. `notes`
    tell what was left out. What is worked out of them is kept from its first use until `release`;
    as a context manager the history releases itself.
    """

    tables: Mapping[str, DataFrame]
    timeline: Timeline
    notes: tuple[str, ...] = ()
    part: Part = WHOLE
    _kept: list[DataFrame] = field(default_factory=list, repr=False, compare=False)
    _rates: list[FleetRates] = field(default_factory=list, repr=False, compare=False)

    @staticmethod
    def read(
        session: SparkSession,
        store: Where,
        since: str | timedelta | None = None,
        until: str | None = None,
        max_age: timedelta = MAX_AGE,
    ) -> FleetHistory:
        """The whole snapshots of a store, from `since` to `until`, both included.

        `since` is an id, or how far to reach back from the last. Those that aren't whole are left
        out and named in `notes`, and so are those whose id is no time like 20261121T060000Z: they
        have no place in the order of time. InputError when none is left, or tables can't be used.
        """
        tables, clusters, notes = read_tables(session, store, since, until)
        return FleetHistory(tables, Timeline(clusters, max_age), notes)

    @staticmethod
    def of(snapshots: Sequence[FleetSnapshot], max_age: timedelta = MAX_AGE) -> FleetHistory:
        """The history that these snapshots are, in any order.

        A cluster's rows of an instant may be in several of them that were composed of others, as
        `FleetSnapshot.read` does: they count once. InputError for none, for two snapshots of one
        id, and for ids that are no times.
        """
        ids = [snapshot.id for snapshot in snapshots]
        if not ids:
            raise InputError("a history needs at least one snapshot")
        if twice := {id_ for id_ in ids if ids.count(id_) > 1}:
            raise InputError(f"two snapshots of the history have the id {min(twice)}")
        clusters: dict[str, set[str]] = {}
        parts: dict[str, list[DataFrame]] = {}
        for snapshot in snapshots:
            for instant, names in _new_in(snapshot, clusters).items():
                for table, rows in snapshot.only(names).tables.items():
                    parts.setdefault(table, []).append(rows.withColumn(SNAPSHOT, F.lit(instant)))
        tables = {table: reduce(DataFrame.unionByName, part) for table, part in parts.items()}
        notes = dict.fromkeys(note for snapshot in snapshots for note in snapshot.notes)
        in_order = {cluster: sorted(names) for cluster, names in sorted(clusters.items())}
        return FleetHistory(tables, Timeline(in_order, max_age), (*notes,))

    @property
    def session(self) -> SparkSession:
        """The session of its tables."""
        return next(iter(self.tables.values())).sparkSession

    @property
    def snapshots(self) -> list[str]:
        """The ids of all snapshots, oldest first."""
        return sorted({name for ids in self.timeline.snapshots.values() for name in ids})

    def matching(
        self, cluster: str | None = None, group: str | None = None, teams: Sequence[Team] = ()
    ) -> FleetHistory:
        """Part of the history: a cluster, or the groups that a pattern of names fits (`Part`).

        In a pattern `*` is any text and `?` one character.
        """
        tables = dict(self.tables)
        timeline = self.timeline
        if cluster is not None:
            tables = {
                name: rows.where(is_named("cluster", [cluster])) for name, rows in tables.items()
            }
            timeline = replace(timeline, snapshots={cluster: timeline.snapshots.get(cluster, ())})
        part = Part(cluster, group, teams)
        by_group = {name: rows for name, rows in tables.items() if TABLES[name].by_group}
        tables |= {name: rows.where(part.has_group()) for name, rows in by_group.items()}
        return replace(self, tables=tables, timeline=timeline, part=part, _kept=[], _rates=[])

    def lately(self, window: timedelta) -> FleetHistory:
        """The snapshots that are at most so much older than the newest of all."""
        ids = self.snapshots
        near = set(within_reach(ids, window) if ids else ())
        every = self.timeline.snapshots.items()
        clusters = {cluster: [id_ for id_ in of if id_ in near] for cluster, of in every}
        return self._only({cluster: of for cluster, of in clusters.items() if of})

    def spaced(self, window: timedelta, most: int) -> FleetHistory:
        """Of the snapshots of each cluster within a window `most`, evenly spaced."""
        snapshots = {
            cluster: evenly(within_reach(ids, window), most)
            for cluster, ids in self.timeline.snapshots.items()
        }
        return self._only(snapshots)

    def _only(self, snapshots: Mapping[str, Sequence[str]]) -> FleetHistory:
        """Of each cluster these snapshots."""
        timeline = replace(self.timeline, snapshots=snapshots)
        near = {text for ids in snapshots.values() for text in ids}
        tables = {
            name: rows.where(F.col(SNAPSHOT).isin(*near)) for name, rows in self.tables.items()
        }
        return replace(self, tables=tables, timeline=timeline, _kept=[], _rates=[])

    def has_groups(self) -> bool:
        """Whether any table names a group."""
        return name_groups(self.tables)

    def group_spans(self, racks: bool = False) -> GroupSpans:
        """When each group's facts changed; with `racks` those of partitions are facts too."""
        return spans_of(self.tables, self.timeline, racks, self.keep)

    @cached_property
    def _group_spans(self) -> GroupSpans:
        return self.group_spans()

    @cached_property
    def _change_rows(self) -> DataFrame:
        return self.keep(change_rows_of(self._group_spans, self.tables, self.timeline))

    @cached_property
    def states(self) -> DataFrame:
        """A row a snapshot and group: see `spark.history.change_row`."""
        return self.keep(states_of(self._change_rows, self._group_spans, self.tables))

    @property
    def states_without_lag(self) -> DataFrame:
        """Rows of `states` with null for each lag: lags take a pass over all offsets."""
        return states_of(self._change_rows, self._group_spans, {})

    @property
    def changes(self) -> DataFrame:
        """A row a group and transition in which anything changed: see `changes_of`."""
        return changes_of(self._change_rows)

    @cached_property
    def rebalances(self) -> DataFrame:
        """A row a group and transition with rebalances: see `rebalances_of`."""
        return self.keep(rebalances_of(self._change_rows, self._group_spans))

    def keep(self, rows: DataFrame) -> DataFrame:
        """The rows, kept from their first use until `release`."""
        self._kept.append(rows.persist())
        return self._kept[-1]

    def rates(
        self, window: timedelta | str = WINDOW, quantile: float = QUANTILE, claims: bool = True
    ) -> FleetRates:
        """How fast each partition flows, each group and each member reads.

        Without `claims` the owners of partitions, which take as long to read as offsets, are read
        when members or commits are asked for.

        Of the snapshots of each cluster that are at most `window` (a text such as "24h" will do)
        older than its last; one Spark job looks for clocks that jumped. InputError for a window or
        a quantile that can't be, where there are no offsets, and where the window holds one
        snapshot of each cluster though there are more.
        """
        rates = fleet_rates(self.tables, self.timeline, window, quantile, claims)
        self._rates.append(rates)
        return rates

    def write(self, out: Where) -> None:
        """Write states, changes and rebalances to `out`, each by snapshot.

        Of the first snapshot it isn't known what happened on the way to it.
        """
        tables = dict(
            zip(RESULTS[HISTORY], (self.states, self.changes, self.rebalances), strict=True)
        )
        laid_out = {
            name: rows.repartition(SNAPSHOT).sortWithinPartitions(SNAPSHOT, "cluster", "group")
            for name, rows in tables.items()
        }
        first, *others = self.snapshots
        replaced = {first: RESULTS[HISTORY][:1]} | dict.fromkeys(others, RESULTS[HISTORY])
        write_by_snapshot(self.session, out, laid_out, replaced)

    def chart(self) -> Any:
        """Excess, lag and rebalances over time; InputError where Altair isn't installed."""
        return CHARTS["trend"].chart(trend_of(self.states, self.rebalances))

    def _repr_html_(self) -> str:
        rows = as_rows(restless(self.changes, self.rebalances, self.timeline.snapshots))
        text = totals(rows, self.states, self.rebalances)
        columns = "cluster", "group", "rebalances", "cause", "moves", "takeovers", "avoidable"
        return shown_in_notebook([text], columns, rows[: FIRST + 1])

    def release(self) -> None:
        """Free what is kept."""
        while self._kept:
            self._kept.pop().unpersist()
        while self._rates:
            self._rates.pop().release()


def _new_in(snapshot: FleetSnapshot, clusters: dict[str, set[str]]) -> dict[str, list[str]]:
    """The clusters of a snapshot by instants, those that weren't there yet, which are added."""
    first_in: dict[str, list[str]] = {}
    for cluster, instant in snapshot.clusters().items():
        instants = clusters.setdefault(cluster, set())
        if instant not in instants:
            instants.add(instant)
            first_in.setdefault(instant, []).append(cluster)
    return first_in
