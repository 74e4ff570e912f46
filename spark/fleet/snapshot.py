"""A fleet at one instant: checked DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache, partial, reduce
from typing import overload

from pyspark.sql import Column, DataFrame, SparkSession, functions as F
from pyspark.util import inheritable_thread_target

from spark.errors import InputError, UnreadableError, first_line, unreadable_file
from spark.fleet.clusters import (
    MAX_AGE,
    WHOLE,
    Composition,
    Part,
    clusters_in,
    clusters_of,
    compositions,
)
from spark.fleet.conform import HasRates, conform_to, is_keyed, name_groups, null_keys, with_weights
from spark.fleet.fleet_files import FleetFiles
from spark.fleet.schemas import (
    COUNTED_COLUMNS,
    STORE,
    TABLES,
    check_kind,
    describe_null_keys,
    faults_of,
    unknown_columns,
)
from spark.fleet.store import check_not_removed, removed_since, snapshot_id, whole
from spark.fleet.teams import Team
from spark.fleet.utf8 import is_named
from spark.store import CatalogSchema, Folder, Source, StoredTable, Where, source_of, write_tables

READ_AT_ONCE = 16
"""Tables that are opened at the same time: each takes a small job of Spark's."""


class _OfFiles(dict[str, DataFrame]):
    """The tables of a store as it is, which are also in `files`; no copy of it is one."""

    def __init__(self, tables: Mapping[str, DataFrame], files: Callable[[], FleetFiles]) -> None:
        super().__init__(tables)
        self.files = cache(files)


class _Tables:
    """`FleetSnapshot.tables(session, "catalog.schema")` reads a fleet; its `tables` has its tables.

    The class has the one, each of its instances the other.
    """

    @overload
    def __get__(self, of: None, kind: type[FleetSnapshot]) -> Callable[..., FleetSnapshot]: ...
    @overload
    def __get__(self, of: FleetSnapshot, kind: type[FleetSnapshot]) -> Mapping[str, DataFrame]: ...
    def __get__(
        self, of: FleetSnapshot | None, kind: type[FleetSnapshot]
    ) -> Callable[..., FleetSnapshot] | Mapping[str, DataFrame]:
        if of is None:
            return _read_tables
        tables: Mapping[str, DataFrame] = of.__dict__["tables"]
        return tables

    def __set__(self, of: FleetSnapshot, tables: Mapping[str, DataFrame]) -> None:
        of.__dict__["tables"] = tables


def _read_tables(
    session: SparkSession, schema: str, snapshot: str | None = None, max_age: timedelta = MAX_AGE
) -> FleetSnapshot:
    """The fleet in tables of a schema, a name like `catalog.schema`.

    They are called as the tables of a store, and have a column `snapshot` more, a string; optional
    ones may be missing. A snapshot is whole when each required table has rows of it. All else is as
    with `FleetSnapshot.read`; InputError for a schema that isn't there.
    """
    return FleetSnapshot.read(session, CatalogSchema(schema), snapshot, max_age)


@dataclass(frozen=True)
class FleetSnapshot:
    """The tables of a fleet at one instant; `notes` tell what was left out of them.

    `tables` has every table that is there, with exactly the columns of
    `spark.fleet.schemas.TABLES`: optional columns that are missing are null. `instants` has for
    each cluster the id of the snapshot that its rows are of, where that was examined; `id` is the
    newest of them. Without any all rows are of that one. `changes` tell of files that another
    program has changed since they were written. Of the tables in `keyed` files say that no key is
    null. `part` tells which part of a fleet it is, and `older` opens the
    one before, or gives None where there is none.
    """

    id: str
    tables: _Tables = _Tables()
    notes: tuple[str, ...] = ()
    instants: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[str, ...] = ()
    keyed: frozenset[str] = frozenset()
    part: Part = WHOLE
    older: Callable[[], FleetSnapshot | None] | None = field(
        default=None, repr=False, compare=False
    )

    @staticmethod
    def of(
        *,
        members: DataFrame,
        subscriptions: DataFrame,
        partitions: DataFrame,
        assignments: DataFrame,
        groups: DataFrame | None = None,
        offsets: DataFrame | None = None,
        brokers: DataFrame | None = None,
        snapshot: str | None = None,
        **others: DataFrame | None,
    ) -> FleetSnapshot:
        """A snapshot of DataFrames; `snapshot` is its id (now, in UTC, by default).

        `others` are further tables of `spark.fleet.schemas.TABLES`. Raises InputError for one that
        isn't there, and one that lists all missing, mistyped and doubled columns of all tables.
        """
        if unknown := others.keys() - TABLES.keys():
            raise InputError(f"unknown table {min(unknown)!r}: choose one of {', '.join(TABLES)}")
        inputs = {
            "groups": groups,
            "members": members,
            "subscriptions": subscriptions,
            "partitions": partitions,
            "assignments": assignments,
            "offsets": offsets,
            "brokers": brokers,
            **others,
        }
        present = {name: table for name, table in inputs.items() if table is not None}
        return _check(snapshot_id(snapshot), present)

    @staticmethod
    def read(
        session: SparkSession,
        store: Where,
        snapshot: str | None = None,
        max_age: timedelta = MAX_AGE,
    ) -> FleetSnapshot:
        """The newest whole snapshot of each cluster of a store, or exactly the one of that id.

        Clusters that the newest snapshot of all doesn't have are taken from older ones, as far as
        `max_age` reaches back from it by their ids; the fleet's id is that of the newest.
        Snapshots whose ids aren't times like 20261121T060000Z are passed over.

        Raises InputError when the store has no such snapshot, and one that lists all tables that
        can't be read and all missing and mistyped columns.
        """
        stored = whole(session, store, snapshot)
        newest, older = compositions(session, store, stored, max_age, snapshot)

        def before() -> FleetSnapshot | None:
            of = older()
            return FleetSnapshot.compose(session, store, of) if of else None

        return replace(FleetSnapshot.compose(session, store, newest), older=before)

    @staticmethod
    def compose(session: SparkSession, store: Where, of: Composition) -> FleetSnapshot:
        """The fleet that is composed so.

        Raises InputError for tables that can't be read and columns that are missing or mistyped,
        all of one snapshot.
        """
        parts = sorted({of.id, *of.instants.values()}, reverse=True)
        source = source_of(session, store)
        opened = source.at_once(parts, lambda: _open_tables(session, source, parts))
        check_not_removed(source, parts)
        read = [_read(part, tables, source) for part, tables in opened.items()]
        fleet = _composed(read, of)
        if not isinstance(source, Folder):
            return fleet
        # Spark needn't be asked for the clusters
        clusters = of.instants or clusters_in(source, source.root, [of.id])[of.id]
        instants = of.instants or dict.fromkeys(clusters, of.id)
        tables = _OfFiles(fleet.tables, partial(FleetFiles.compose, source, of))
        return replace(fleet, tables=tables, instants=instants)

    @property
    def files(self) -> FleetFiles | None:
        """The fleet as this process can read it, where it is all that files of a store say."""
        with suppress(InputError):  # which Spark will have words for
            return self.tables.files() if isinstance(self.tables, _OfFiles) else None
        return None

    def before(self) -> FleetSnapshot | None:
        """The fleet's part in the snapshot before; None unless both come from a sound store."""
        with suppress(InputError):
            if self.older and (fleet := self.older()):
                return fleet.matching(*self.part).validate()
        return None

    def only(self, clusters: Iterable[str]) -> FleetSnapshot:
        """The rows of these clusters, and those that belong to none, which `validate` tells of."""
        condition = F.col("cluster").isNull() | is_named("cluster", clusters)
        tables = {name: table.where(condition) for name, table in self.tables.items()}
        return replace(self, tables=tables)

    def matching(
        self, cluster: str | None = None, group: str | None = None, teams: Sequence[Team] = ()
    ) -> FleetSnapshot:
        """Part of the fleet: a cluster of it, or the groups that a pattern of names fits (`Part`).

        In a pattern `*` is any text and `?` one character. Topics and brokers stay those of the
        whole cluster, and so do rows of which nobody knows whose they are: `validate` tells of
        them. `part` says what was chosen; `id` is the newest of what is left.
        """
        of_cluster = self if cluster is None else self.only([cluster])
        instants = {c: instant for c, instant in self.instants.items() if cluster in (None, c)}
        tables = dict(of_cluster.tables)
        part = Part(cluster, group, teams)
        fits = F.col("group").isNull() | part.has_group()
        by_group = {name: rows for name, rows in tables.items() if TABLES[name].by_group}
        tables |= {name: rows.where(fits) for name, rows in by_group.items()}
        newest = max(instants.values(), default=self.id)
        return replace(of_cluster, id=newest, tables=tables, instants=instants, part=part)

    def with_groups(self, column: Column) -> FleetSnapshot:
        """Some of its groups, by a condition on `cluster` and `group`, and the topics they read."""
        tables = {
            name: rows.where(column) if TABLES[name].by_group else rows
            for name, rows in self.tables.items()
        }
        read = F.broadcast(tables["subscriptions"].select("cluster", "topic").distinct())
        tables["partitions"] = tables["partitions"].join(read, ["cluster", "topic"], "left_semi")
        return replace(self, tables=tables)

    def weighted_by(self, rates: HasRates | DataFrame, column: str = "mean") -> FleetSnapshot:
        """The fleet with rates of partitions as their weights; null where there is no rate.

        `rates` are those of `FleetHistory.rates`, or a table of them with a row a partition;
        `column` is "mean", "quantile" or "maximum". InputError for another, or one that is missing.
        """
        partitions = with_weights(self.tables["partitions"], rates, column)
        return replace(self, tables={**self.tables, "partitions": partitions})

    def has_groups(self) -> bool:
        """Whether any table names a group."""
        return name_groups(self.tables)

    def clusters(self) -> Mapping[str, str]:
        """Each cluster, and the id of the snapshot that its rows are of; asks Spark if need be."""
        return self.instants or dict.fromkeys(clusters_of(self.tables), self.id)

    def write(self, store: Where) -> None:
        """Add the snapshot to a store, all of it or nothing.

        Raises InputError, before anything is written, when the store has something of that id, or
        it can't be an id.
        """
        session = next(iter(self.tables.values())).sparkSession
        check_kind(session, store, STORE)
        source = source_of(session, store)
        taken = [name for name in TABLES if source.has(name, self.id)]
        if taken:
            raise InputError(
                f"store {store} has a snapshot {self.id} already, in {', '.join(taken)}: choose "
                "another id or remove that snapshot"
            )
        write_tables(session, store, snapshot_id(self.id), self.tables, TABLES, COUNTED_COLUMNS)

    def validate(self) -> FleetSnapshot:
        """Look for null keys; InputError names tables and columns, and tells how many rows.

        Tables whose files say that there are none aren't examined.
        """
        doubtful = {name: rows for name, rows in self.tables.items() if name not in self.keyed}
        if not doubtful:
            return self
        nulls = reduce(DataFrame.unionAll, map(null_keys, doubtful, doubtful.values()))
        try:
            counts = sorted(nulls.groupBy("table", "column").count().collect())
        except Exception as error:
            if unreadable_file(error):
                raise UnreadableError(
                    f"the fleet of {self.id} can't be read: {first_line(error)}"
                ) from None
            raise
        if counts:
            found_in = {f"{row.table}.{row.column}": row["count"] for row in counts}
            raise InputError(describe_null_keys(self.id, found_in))
        return self


Opened = Mapping[str, Future[StoredTable | None]]
"""For each table what `Source.read` will return."""


def _open_tables(
    session: SparkSession, source: Source, snapshots: Sequence[str]
) -> dict[str, Opened]:
    """The tables of each snapshot, opened at the same time."""
    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        return {
            snapshot: {
                name: pool.submit(
                    inheritable_thread_target(session)(source.read), session, name, snapshot
                )
                for name in TABLES
            }
            for snapshot in snapshots
        }


def _read(snapshot: str, opened: Opened, source: Source) -> FleetSnapshot:
    """The snapshot of opened tables."""
    tables: dict[str, DataFrame] = {}
    faults = []
    changes: list[str] = []
    keyed = set()
    for name, reading in opened.items():
        try:
            table = reading.result()
        except InputError as error:
            faults.append(str(error))
        else:
            if table:
                tables[name] = table.rows
                changes += table.notes
                if is_keyed(name, table.rows.schema, table.without_nulls):
                    keyed.add(name)
    read = _check(snapshot, tables, faults)
    changes += removed_since(source, snapshot, tables)
    return replace(read, changes=tuple(changes), keyed=frozenset(keyed))


def _composed(read: Sequence[FleetSnapshot], of: Composition) -> FleetSnapshot:
    """The fleet of opened snapshots, of each its clusters."""
    if len(read) == 1:
        return replace(read[0], instants=of.instants, notes=(*read[0].notes, *of.notes()))
    sections = [
        part.only(cluster for cluster, instant in of.instants.items() if instant == part.id)
        for part in read
    ]
    by_table = {
        name: [part.tables[name] for part in sections if name in part.tables] for name in TABLES
    }
    tables = {
        name: reduce(DataFrame.unionAll, of_name) for name, of_name in by_table.items() if of_name
    }
    notes = dict.fromkeys(note for part in read for note in part.notes)
    changes = tuple(change for part in read for change in part.changes)
    keyed = frozenset.intersection(*(part.keyed for part in read))
    return FleetSnapshot(of.id, tables, (*notes, *of.notes()), of.instants, changes, keyed)


def _check(
    snapshot: str, opened: Mapping[str, DataFrame], read_errors: Sequence[str] = ()
) -> FleetSnapshot:
    columns = (fault for name, table in opened.items() for fault in faults_of(name, table.schema))
    if faults := [*read_errors, *columns]:
        kind = UnreadableError if read_errors else InputError
        raise kind(f"snapshot {snapshot} can't be used: {'; '.join(faults)}")
    notes = tuple(
        note for name, table in opened.items() for note in unknown_columns(name, table.schema)
    )
    tables = {name: conform_to(name, table) for name, table in opened.items()}
    return FleetSnapshot(snapshot, tables, notes)
