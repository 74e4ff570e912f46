"""A fleet at one instant in files that this process reads by itself: no Spark is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import types as t

from spark.errors import InputError, UnreadableError, first_line
from spark.fleet.clusters import MAX_AGE, Composition, FindOlder, clusters_in, compositions
from spark.fleet.conform import is_keyed
from spark.fleet.schemas import TABLES, faults_of, unknown_columns
from spark.fleet.store import check_not_removed, removed_since, whole
from spark.fleet.utf8 import names_wanted
from spark.store import (
    NULL,
    Folder,
    ValueFilter,
    is_there,
    open_folder,
    texts,
    whole_numbers,
)

_TYPES = {
    name: {column.name: column.type for column in table.columns} for name, table in TABLES.items()
}

Rows = Mapping[str, Any]
"""Columns by name, of equally many rows: texts as an Arrow array of bytes, ints as numbers with
`spark.store.NULL` for null, all others as lists."""


class FilesOf(NamedTuple):
    """The files of one table of one snapshot, and which clusters are read from it; None is all."""

    files: Sequence[str]
    rows: int = 0
    clusters: frozenset[str] | None = None


@dataclass(frozen=True)
class FleetFiles:
    """A fleet in a store, as `FleetSnapshot` has it, for questions about few of its rows.

    `notes`, `instants`, `changes` and `keyed` are those of a snapshot.
    """

    id: str
    place: Folder = field(repr=False)
    tables: Mapping[str, Sequence[FilesOf]]
    notes: tuple[str, ...] = ()
    instants: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[str, ...] = ()
    keyed: frozenset[str] = frozenset()
    older: FindOlder | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def read(
        store: str,
        snapshot: str | None = None,
        max_age: timedelta = MAX_AGE,
        place: Folder | None = None,
    ) -> FleetFiles:
        """The fleet that `FleetSnapshot.read` would read; InputErrors are the same.

        `place` is that folder, if it is open. What only Spark can open raises UnopenableError, an
        InputError as well.
        """
        place = place or open_folder(store)
        stored = whole(place, store, snapshot)
        newest, older = compositions(place, store, stored, max_age, snapshot)
        return replace(FleetFiles.compose(place, newest), older=older)

    @staticmethod
    def compose(place: Folder, of: Composition) -> FleetFiles:
        """The fleet that is composed so; InputError as `FleetSnapshot.compose` raises it."""
        parts = sorted({of.id, *of.instants.values()}, reverse=True)
        read = place.at_once(parts, lambda: [_open(place, part) for part in parts])
        check_not_removed(place, parts)
        tables: dict[str, list[FilesOf]] = {}
        for part in read:
            of_part = frozenset(c for c, instant in of.instants.items() if instant == part.id)
            clusters = of_part if len(parts) > 1 else None
            for name, files in part.tables.items():
                selected = (listed._replace(clusters=clusters) for listed in files)
                tables.setdefault(name, []).extend(selected)
        notes = (*dict.fromkeys(note for part in read for note in part.notes), *of.notes())
        changes = tuple(change for part in read for change in part.changes)
        keyed = frozenset.intersection(*(part.keyed for part in read))
        return FleetFiles(of.id, place, tables, notes, of.instants, changes, keyed)

    def before(self) -> FleetFiles | None:
        """The fleet before, where it was read from a store that has an older one."""
        of = self.older and self.older()
        return FleetFiles.compose(self.place, of) if of else None

    @property
    def files(self) -> FleetFiles:
        """Itself: a `FleetSnapshot` may have files as well."""
        return self

    def clusters(self) -> Mapping[str, str]:
        """Each cluster, and the id of the snapshot that its rows are of."""
        if self.instants:
            return self.instants
        return dict.fromkeys(clusters_in(self.place, self.place.root, [self.id])[self.id], self.id)

    def count(self, *tables: str) -> int:
        """Rows of these tables, those of clusters that aren't read among them."""
        return sum(part.rows for table in tables for part in self.tables.get(table, ()))

    def rows(
        self, table: str, columns: Sequence[str], cluster: str | None = None, **wanted: ValueFilter
    ) -> Rows:
        """The rows of a table with wanted values, of a cluster or all.

        UnreadableError if a file is broken. A table that isn't there has none.
        """
        chunks = [
            rows
            for file, filters in self._files(table, cluster, wanted)
            for rows in self._rows_of(table, file, columns, filters)
        ]
        nobody = {name: _values(None, _TYPES[table][name], 0) for name in columns}
        return {name: _join([rows[name] for rows in (*chunks, nobody)]) for name in columns}

    def _rows_of(
        self, table: str, file: str, columns: Sequence[str], filters: Mapping[str, ValueFilter]
    ) -> Iterator[Rows]:
        """The rows of one file that fit, a row group at a time."""
        try:
            for rows in self.place.rows(table, file, columns, filters):
                yield {
                    name: _values(
                        rows[name] if name in rows.column_names else None,
                        _TYPES[table][name],
                        len(rows),
                    )
                    for name in columns
                }
        except (TypeError, pa.ArrowException) as error:  # not all files are alike
            raise UnreadableError(
                f"table {table} can't be read from {file}: {first_line(error)}"
            ) from None

    def _files(
        self, table: str, cluster: str | None, others: Mapping[str, ValueFilter]
    ) -> Iterator[tuple[str, Mapping[str, ValueFilter]]]:
        """The files of a table, and what is wanted of each."""
        for part in self.tables.get(table, ()):
            if cluster is not None and part.clusters is not None and cluster not in part.clusters:
                continue
            filters = dict(others)
            if cluster is not None:
                filters["cluster"] = names_wanted([cluster])
            elif part.clusters is not None:
                filters["cluster"] = names_wanted(part.clusters, null=True)
            for file in part.files:
                yield file, filters

    def null_keys(
        self, table: str, cluster: str | None = None, **wanted: ValueFilter
    ) -> Counter[str]:
        """Such rows with a null in a key or what an int can't hold, by column.

        Tables whose files say that they have none aren't read.
        """
        keys = TABLES[table].keys
        nulls: Counter[str] = Counter()
        if table in self.keyed:
            return nulls
        for file, filters in self._files(table, cluster, wanted):
            for rows in self._rows_of(table, file, keys, filters):
                nulls.update({f"{table}.{key}": _nulls(rows[key]) for key in keys})
        return +nulls


def _open(place: Folder, snapshot: str) -> FleetFiles:
    """The tables of a snapshot, checked as far as their schemas tell."""
    tables: dict[str, list[FilesOf]] = {}
    read_errors: list[str] = []
    columns: list[str] = []
    notes: list[str] = []
    changes: list[str] = []
    keyed = set()
    for name in TABLES:
        try:
            parts = place.parts(name, snapshot)
            if parts is None:
                continue
            footers = place.footers(name, parts.paths)
        except InputError as error:
            read_errors.append(str(error))
            continue
        tables[name] = [FilesOf(parts.paths, footers.rows)]
        columns += faults_of(name, footers.schema)
        notes += unknown_columns(name, footers.schema)
        changes += parts.notes
        if is_keyed(name, footers.schema, footers.without_nulls):
            keyed.add(name)
    if faults := [*read_errors, *columns]:
        kind = UnreadableError if read_errors else InputError
        raise kind(f"snapshot {snapshot} can't be used: {'; '.join(faults)}")
    changes += removed_since(place, snapshot, tables.keys())
    return FleetFiles(snapshot, place, tables, tuple(notes), {}, tuple(changes), frozenset(keyed))


def _values(column: pa.ChunkedArray | None, kind: t.DataType, rows: int) -> Any:
    cells = pa.nulls(rows) if column is None else column
    if isinstance(kind, t.StringType):
        return texts(cells)
    if isinstance(kind, t.IntegralType):
        return whole_numbers(cells)
    if isinstance(kind, t.ArrayType) and isinstance(kind.elementType, t.StringType):
        cells = cells.cast(pa.list_(pa.binary()))
    return cells.to_pylist()


def _join(chunks: Sequence[Any]) -> Any:
    if isinstance(chunks[0], pa.Array):
        return pa.concat_arrays(chunks)
    if isinstance(chunks[0], np.ndarray):
        return np.concatenate(chunks)
    return [cell for cells in chunks for cell in cells]


def _nulls(column: Any) -> int:
    missing = column == NULL if isinstance(column, np.ndarray) else ~is_there(column)
    return int(np.count_nonzero(missing))
