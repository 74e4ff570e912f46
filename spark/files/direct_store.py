"""A folder of tables that this process opens by itself, without Spark."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import add
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from spark.errors import UnreadableError, first_line
from spark.files.columns import coded, taken, texts
from spark.files.manifest import HIDDEN, Columns, File, Manifest, cells_counted
from spark.files.parts import without_nulls
from spark.files.source import REMOVED, Cells
from spark.files.table_store import TableStore, rewritten

AT_ONCE = 8
"""Files that are read at the same time where all of many are."""

UNREADABLE = (OSError, pa.ArrowException, TypeError, KeyError)
"""What Arrow raises about a file that is broken, or that has something else in it."""


@dataclass(frozen=True)
class ValueFilter:
    """Values of a column of texts: these bytes, what else `also` knows, and nulls if `null`."""

    names: frozenset[bytes]
    also: Callable[[bytes], bool] | None = None
    null: bool = False

    def has(self, value: bytes | None) -> bool:
        if value is None:
            return self.null
        return value in self.names or (self.also is not None and self.also(value))

    def may_be_in(self, statistics: Any) -> bool:
        """Whether a column may have such a value, by what its file tells of it."""
        if self.also or statistics is None or not statistics.has_min_max:
            return True
        if self.null and statistics.null_count != 0:
            return True
        return any(statistics.min_raw <= name <= statistics.max_raw for name in self.names)


def is_part(name: str) -> bool:
    """Whether a file of that name holds rows, as readers of Parquet see it."""
    return name.endswith(".parquet") and name[0] not in "._"


class DirectStore(TableStore):
    """Its files are read by Arrow: of each only the row groups and columns that are needed."""

    @abstractmethod
    def opened(self, path: str) -> pq.ParquetFile:
        """A file of which no page is taken whose bytes aren't those that were written."""

    def ids(self, table: str) -> list[str]:
        return sorted(item for item in self.named([table]) if self.has(table, item))

    def manifest_modified(self, snapshot: str) -> float | None:
        result = self.modified(f"{self.root}/{HIDDEN}/manifests/snapshot={snapshot}")
        return max((at for name, at in result.items() if name[0] not in "._"), default=None)

    def broken(self, snapshot: str, tables: Collection[str]) -> str | None:
        try:
            manifest = self.manifest(snapshot) or Manifest()
            parts = [self._parts(manifest, table, snapshot, thoroughly=False) for table in tables]
        except UnreadableError as error:
            return str(error)
        return None if any(parts) else REMOVED

    def _is_there(self, table: str, snapshot: str) -> bool:
        try:
            return self.parts(table, snapshot, thoroughly=False) is not None
        except UnreadableError:
            return True

    def resized(self, path: str, size: int, file: File) -> str:
        """The error for a file of another size than was written; UnreadableError if broken."""
        try:
            rows = self.opened(path).metadata.num_rows
        except (OSError, pa.ArrowException):
            raise UnreadableError(
                f"{path} can't be read: it has {size} bytes instead of {file.bytes}"
            ) from None
        return rewritten(path, rows, file)

    def files_of(self, paths: Sequence[str]) -> list[str]:
        """The Parquet files that are meant by folders and files (see `Parts`)."""
        return [file for path in paths for file in self._files_of(path)]

    def _files_of(self, path: str) -> Collection[str]:
        is_folder = path.rpartition("/")[2].startswith("snapshot=")
        return (self.files_in(path) or {}).values() if is_folder else [path]

    def schema(self, table: str, path: str) -> pa.Schema:
        """The columns of one file of a table; UnreadableError if it is broken."""
        try:
            return self.opened(path).schema_arrow
        except UNREADABLE as error:
            raise _unreadable_error(table, path, error) from None

    def rows(
        self, table: str, path: str, columns: Sequence[str], wanted: Mapping[str, ValueFilter]
    ) -> Iterator[pa.Table]:
        """The rows of a file in which these columns have wanted values, a row group at a time.

        A column that the file lacks isn't there. UnreadableError if the file is broken.
        """
        try:
            file = self.opened(path)
            present = [name for name in columns if name in file.schema_arrow.names]
            others = [name for name in present if name not in wanted]
            for number in range(file.num_row_groups):
                if not _may_have(file.metadata.row_group(number), wanted):
                    continue
                keys = file.read_row_group(number, [*wanted] or present)
                selection = _matching_rows(keys, wanted)
                if not wanted:
                    yield keys
                elif selection.any():
                    rows = taken(keys, selection)
                    for name in others:
                        of_name = file.read_row_group(number, [name])
                        rows = rows.append_column(name, taken(of_name, selection)[name])
                    yield rows
        except UNREADABLE as error:
            raise _unreadable_error(table, path, error) from None

    def has_no_null(self, table: str, path: str, columns: Collection[str]) -> bool:
        """Whether the file itself says that it has no null in these columns of texts and ints."""
        try:
            metadata = self.opened(path).metadata
        except UNREADABLE as error:
            raise _unreadable_error(table, path, error) from None
        schema = metadata.schema
        longs = {  # which may be beyond an int
            schema.column(at).path
            for at in range(metadata.num_columns)
            if schema.column(at).physical_type == "INT64"
        }
        return {*without_nulls(metadata)}.difference(longs).issuperset(columns)

    def tally(
        self, tables: Collection[str], snapshots: Collection[str], columns: Sequence[str] = ()
    ) -> dict[tuple[str, str], Counter[Cells]]:
        """What manifests tell; where they don't, files are opened."""
        wanted = tuple(columns)
        result: dict[tuple[str, str], Counter[Cells]] = {}
        opened: dict[tuple[str, str], list[str]] = {}
        for table, snapshot in product(tables, snapshots):
            with suppress(UnreadableError):
                parts = self.parts(table, snapshot, thoroughly=False)
                report = parts and not parts.notes and self._counts_of(table, snapshot, wanted)
                if isinstance(report, Counter):
                    result[table, snapshot] = report
                elif parts:
                    opened[table, snapshot] = self.files_of(parts.paths)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            counted = pool.map(lambda files: self._counted(files, wanted), opened.values())
            for item, cells in zip(opened, counted, strict=True):
                if cells is not None:
                    result[item] = cells
        return result

    def _counts_of(self, table: str, snapshot: str, columns: Columns) -> Counter[Cells] | None:
        """What the manifest tells of files that are as they were written."""
        manifest = self.manifest(snapshot)
        files = manifest.tables.get(table) if manifest else None
        if files is None:
            return None
        if not columns:
            rows = sum(file.rows for file in files)
            return Counter({(): rows}) if rows else Counter()
        return cells_counted([file.cells for file in files], columns)

    def _counted(self, files: Sequence[str], columns: Columns) -> Counter[Cells] | None:
        """None if one of them can't be read."""
        try:
            return reduce(add, (cells_of(self.opened(path), columns) for path in files), Counter())
        except UNREADABLE:
            return None


def _unreadable_error(table: str, path: str, error: Exception) -> UnreadableError:
    return UnreadableError(f"table {table} can't be read from {path}: {first_line(error)}")


def _statistics(group: Any) -> dict[str, Any]:
    """What a row group tells of each of its columns."""
    columns = map(group.column, range(group.num_columns))
    return {column.path_in_schema: column.statistics for column in columns}


def _may_have(group: Any, wanted: Mapping[str, ValueFilter]) -> bool:
    statistics = _statistics(group)
    return all(item.may_be_in(statistics.get(name)) for name, item in wanted.items())


def _matching_rows(keys: pa.Table, wanted: Mapping[str, ValueFilter]) -> NDArray[np.bool_]:
    """Which rows have wanted values in all of these columns."""
    selection = np.ones(len(keys), np.bool_)
    for name, item in wanted.items():
        codes, values = coded(texts(keys[name]))
        selection &= np.array([item.has(value) for value in values], np.bool_)[codes]
    return selection


def cells_of(file: pq.ParquetFile, columns: Columns) -> Counter[Cells]:
    """How often each combination of values of these columns of texts is in a file."""
    result: Counter[Cells] = Counter()
    for number in range(file.num_row_groups):
        result.update(_cells_of(file, number, columns))
    return result


def _cells_of(file: pq.ParquetFile, number: int, columns: Columns) -> Counter[Cells]:
    """The same of a row group."""
    group = file.metadata.row_group(number)
    statistics = _statistics(group)
    rows = group.num_rows
    combined, result = np.zeros(rows, np.int64), [Cells()]
    values: list[bytes | None]
    for name in columns:
        if name not in file.schema_arrow.names:
            codes, values = np.zeros(rows, np.int64), [None]
        elif (only_value := _only_value(statistics.get(name))) is not None:
            codes, values = np.zeros(rows, np.int64), [only_value]
        else:
            codes, values = coded(texts(file.read_row_group(number, [name])[name]))
        pairs, combined = np.unique(combined * len(values) + codes, return_inverse=True)
        result = [(*result[p // len(values)], values[p % len(values)]) for p in pairs.tolist()]
    return (
        Counter(dict(zip(result, np.bincount(combined).tolist(), strict=True)))
        if rows
        else Counter()
    )


def _only_value(statistics: Any) -> bytes | None:
    """The one text that a column has throughout, if its file tells so."""
    if statistics is None or not (statistics.has_min_max and statistics.has_null_count):
        return None
    low = statistics.min_raw
    same = statistics.null_count == 0 and low == statistics.max_raw
    return low if same and isinstance(low, bytes) else None
