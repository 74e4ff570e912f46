"""A folder of tables whose rows are read: by Spark, or by this process, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import reduce
from itertools import product
from operator import add

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from spark.errors import UnreadableError, first_line
from spark.store.columns import take
from spark.store.manifest import Columns, cells_counted
from spark.store.parquet import (
    UNREADABLE,
    Footers,
    ValueFilter,
    cells_of,
    matching_rows,
    may_have,
    read_files,
)
from spark.store.source import SNAPSHOT, Cells, StoredTable
from spark.store.table_files import Parts, TableFiles

AT_ONCE = 8
"""Files that are read at the same time where all of many are."""


class Folder(TableFiles):
    """A folder with tables as `TABLE/snapshot=ID/*.parquet`, read as its manifests say."""

    def footers(self, table: str, paths: Sequence[str]) -> Footers:
        """The footers of a table's files; UnreadableError if one is broken."""
        metadata = []
        for path in paths:
            try:
                metadata.append(self.open(path).metadata)
            except UNREADABLE as error:
                raise _unreadable_error(table, path, error) from None
        return Footers.of(metadata)

    def _footers_for_spark(
        self, session: SparkSession, table: str, paths: Sequence[str]
    ) -> Footers:
        """The footers of a table's files, or the schema that Spark finds where they have none."""
        with suppress(UnreadableError):
            footers = self.footers(table, paths)
            if footers.is_known:
                return footers
        return Footers(read_files(session, table, paths).schema, frozenset())

    def read(self, session: SparkSession, table: str, snapshot: str) -> StoredTable | None:
        parts = self.parts(table, snapshot)
        if not parts:
            return None
        footers = self._footers_for_spark(session, table, parts.paths)
        rows = read_files(session, table, parts.paths, footers.schema)
        return StoredTable(rows, parts.notes, footers.without_nulls)

    def read_several(
        self, session: SparkSession, table: str, snapshots: Collection[str]
    ) -> list[StoredTable]:
        alike: dict[tuple[str, str], list[tuple[Parts, Footers]]] = {}
        for snapshot in snapshots:
            if parts := self.parts(table, snapshot, thoroughly=False):
                footers = self._footers_for_spark(session, table, parts.paths)
                base = parts.paths[0].rpartition(f"/{SNAPSHOT}=")[0]
                alike.setdefault((base, footers.schema.json()), []).append((parts, footers))
        return [_merge(session, table, base, of) for (base, _), of in alike.items()]

    def rows(
        self, table: str, path: str, columns: Sequence[str], wanted: Mapping[str, ValueFilter]
    ) -> Iterator[pa.Table]:
        """The rows of a file in which these columns have wanted values, a row group at a time.

        A column that the file lacks isn't there. UnreadableError if the file is broken.
        """
        try:
            file = self.open(path)
            present = [name for name in columns if name in file.schema_arrow.names]
            others = [name for name in present if name not in wanted]
            for number in range(file.num_row_groups):
                if not may_have(file.metadata.row_group(number), wanted):
                    continue
                keys = file.read_row_group(number, [*wanted] or present)
                fits = matching_rows(keys, wanted)
                if not wanted:
                    yield keys
                elif fits.any():
                    rows = take(keys, fits)
                    for name in others:
                        of_name = file.read_row_group(number, [name])
                        rows = rows.append_column(name, take(of_name, fits)[name])
                    yield rows
        except UNREADABLE as error:
            raise _unreadable_error(table, path, error) from None

    def tally(
        self, tables: Collection[str], snapshots: Collection[str], columns: Sequence[str] = ()
    ) -> dict[tuple[str, str], Counter[Cells]]:
        """Counts by manifests; where these have none, files are opened."""
        wanted = tuple(columns)
        counts: dict[tuple[str, str], Counter[Cells] | None] = {}
        opened: dict[tuple[str, str], Sequence[str]] = {}
        for table, snapshot in product(tables, snapshots):
            with suppress(UnreadableError):
                if parts := self.parts(table, snapshot, thoroughly=False):
                    counts[table, snapshot] = (
                        None if parts.notes else self._counts_of(table, snapshot, wanted)
                    )
                    if counts[table, snapshot] is None:
                        opened[table, snapshot] = parts.paths
        with ThreadPoolExecutor(AT_ONCE) as pool:
            counted = pool.map(lambda files: self._count(files, wanted), opened.values())
            counts.update(zip(opened, counted, strict=True))
        return {table: cells for table, cells in counts.items() if cells is not None}

    def _counts_of(self, table: str, snapshot: str, columns: Columns) -> Counter[Cells] | None:
        """Counts by the manifest, of files as they were written; None where it has none."""
        manifest = self.manifest(snapshot)
        files = manifest.tables.get(table) if manifest else None
        if files is None:
            return None
        if not columns:
            rows = sum(file.rows for file in files)
            return Counter({(): rows}) if rows else Counter()
        return cells_counted([file.cells for file in files], columns)

    def _count(self, files: Sequence[str], columns: Columns) -> Counter[Cells] | None:
        """None if one of them can't be read."""
        try:
            return reduce(add, (cells_of(self.open(path), columns) for path in files), Counter())
        except UNREADABLE:
            return None


def _unreadable_error(table: str, path: str, error: Exception) -> UnreadableError:
    return UnreadableError(f"table {table} can't be read from {path}: {first_line(error)}")


def _merge(
    session: SparkSession, table: str, base: str, alike: Sequence[tuple[Parts, Footers]]
) -> StoredTable:
    """Tables with the same columns, in one folder; their own folders tell whose the rows are."""
    columns = (field for field in alike[0][1].schema.fields if field.name != SNAPSHOT)
    schema = StructType([*columns, StructField(SNAPSHOT, StringType())])
    paths = [path for parts, _ in alike for path in parts.paths]
    rows = read_files(session, table, paths, schema, {"basePath": base})
    notes = tuple(note for parts, _ in alike for note in parts.notes)
    complete = frozenset.intersection(*(footers.without_nulls for _, footers in alike))
    return StoredTable(rows, notes, complete)
