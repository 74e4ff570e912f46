"""A folder of tables: which files are a table, as they were written or not, and their rows."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import reduce
from itertools import product
from operator import add
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from spark.errors import UnreadableError, first_line
from spark.store.columns import taken
from spark.store.listing import Entries, Listing, is_part
from spark.store.manifest import (
    HIDDEN,
    Columns,
    File,
    Manifest,
    cells_counted,
    run_of as run_of_file,
)
from spark.store.parquet import (
    UNREADABLE,
    Footers,
    ValueFilter,
    cells_of,
    footers_of,
    matching_rows,
    may_have,
    read_files,
    without_nulls,
)
from spark.store.source import REMOVED, SNAPSHOT, Cells, StoredTable

CHUNK = 1 << 20

LEAST = 12
"""Bytes of the smallest Parquet file: magic numbers at both ends, and the footer's length."""

AT_ONCE = 8
"""Files that are read at the same time where all of many are."""

T = TypeVar("T")


class Parts(NamedTuple):
    """The files that one table of a snapshot is read from.

    `notes` tell of files that another program has changed since they were written.
    """

    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Folder(Listing):
    """A folder with tables as `TABLE/snapshot=ID/*.parquet`, read as its manifests say."""

    def ids(self, table: str) -> list[str]:
        return sorted(item for item in self.named([table]) if self.has(table, item))

    def has(self, table: str, snapshot: str) -> bool:
        aside = self._ids_aside(table)  # examined first: from there it comes to its place
        if self._is_read(table, snapshot):
            return True
        if snapshot not in aside:
            return False
        try:
            return self.parts(table, snapshot, thoroughly=False) is not None
        except UnreadableError:
            return True

    def _is_read(self, table: str, snapshot: str) -> bool:
        """Whether a table has files in its place that readers don't pass over."""
        lying = self.files_in(self.folder(table, snapshot))
        if not lying or not any(map(run_of_file, lying)):
            return bool(lying)
        try:
            manifest = self.manifest(snapshot)
        except UnreadableError:
            return True
        return not manifest or bool(manifest.names(table)) or any(manifest.strange(table, lying))

    def is_gone(self, snapshot: str, tables: Collection[str]) -> bool:
        """As of now: whoever asks has seen some of it, and some not."""
        now = self.for_next_look()
        try:
            manifest = now.manifest(snapshot) or Manifest()
        except UnreadableError:
            return False
        gone = set(manifest.removed).difference(manifest.tables)
        return all(table in gone or not now.has_folder(table, snapshot) for table in tables)

    # Which files are a table, and whether these are as they were written.

    def parts(self, table: str, snapshot: str, thoroughly: bool = True) -> Parts | None:
        """The files of one table of a snapshot; None where it has no such table.

        `thoroughly` looks at each byte of local files. Raises UnreadableError when files are
        missing or broken. What looks odd is examined twice: a run may be moving it meanwhile.
        """
        look, before = self, None
        while True:
            manifest = look.manifest(snapshot) or Manifest()
            fault, parts = None, None
            try:
                parts = look._parts(manifest, table, snapshot, thoroughly)
            except UnreadableError as error:
                fault = error
            except FileNotFoundError as error:
                fault = UnreadableError(f"{error.filename} can't be read: it is gone")
            if not fault and not (parts and parts.notes):
                return parts
            if manifest == before:
                if fault:
                    raise fault
                return parts
            look, before = look.for_next_look(), manifest

    def _parts(
        self, manifest: Manifest, table: str, snapshot: str, thoroughly: bool
    ) -> Parts | None:
        """The same of a snapshot whose manifest has been read."""
        folder = self.folder(table, snapshot)
        files = manifest.names(table)
        aside = self._lying_aside(files, table, snapshot)  # first: from there files come to place
        entries = self.entries(folder)
        lying = {n: e for n, e in sorted((entries or {}).items()) if is_part(n)}
        result = {name: f"{folder}/{name}" for name in files if name in lying}
        result |= {name: path for name, path in aside.items() if name not in result}
        strange = manifest.strange(table, lying)
        if not files or (strange and not result):
            if table in manifest.removed and not files:
                return None
            if files:
                self._refuse_older(strange, lying, table, snapshot)
            notes = [*self._changes({n: f"{folder}/{n}" for n in strange}, {}, thoroughly)]
            rewritten = f"table {table} of snapshot {snapshot} was rewritten by another program"
            paths = tuple(f"{folder}/{name}" for name in strange)
            return Parts(paths, (*notes, *([rewritten] if files else []))) if paths else None
        if entries is None and not result:
            return None
        if missing := files.keys() - result.keys():
            raise UnreadableError(
                f"table {table} can't be read from {folder}: {min(missing)} is missing"
            )
        notes = [*self._changes(result, files, thoroughly)]
        if strange and lying.keys() >= files.keys():
            notes.append(
                f"{folder} has files that another program put there, {strange[0]} first: they "
                "aren't read"
            )
        return Parts(tuple(result[name] for name in sorted(files)), tuple(notes))

    def _lying_aside(self, files: Mapping[str, File], table: str, snapshot: str) -> dict[str, str]:
        """The paths of those of these files that are where their run wrote them."""
        present = (self.entries(f"{self.root}/{HIDDEN}/runs") or {}) if files else {}
        runs = {file.run for file in files.values()}.intersection(present)
        lying = {run: self.files_in(self.aside(run, table, snapshot)) or {} for run in runs}
        paths = ((name, lying.get(file.run, {}).get(name)) for name, file in files.items())
        return {name: path for name, path in paths if path}

    def _refuse_older(
        self, names: Collection[str], lying: Entries, table: str, snapshot: str
    ) -> None:
        """Raise UnreadableError where a file that the manifest doesn't name is older than it.

        Such a file is of a run before: those of the last one were lost on the way to their place.
        """
        at = self._manifest_at(snapshot)
        if older := [name for name in names if lying[name].at < at]:
            raise UnreadableError(
                f"table {table} can't be read from {self.folder(table, snapshot)}: {min(older)} is "
                "older than its files. Write the snapshot again, or remove its folder in "
                f"{HIDDEN}/manifests"
            )

    def _changes(
        self, paths: Mapping[str, str], files: Mapping[str, File], thoroughly: bool
    ) -> Iterator[str]:
        """What another program made of files that can be read all the same, if anything.

        UnreadableError if one is broken, as far as it can be seen.
        """
        for name, path in sorted(paths.items()):
            if note := self._change(path, files.get(name), thoroughly):
                yield note

    def _change(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        size = self.size(path)
        if size < LEAST:
            raise UnreadableError(f"{path} can't be read: it has {size} bytes, which is no Parquet")
        if file is None:
            return None
        if size != file.bytes:
            return self._resized(path, size, file)
        if self.is_local and thoroughly and file.crc32 and checksum(Path(path)) != file.crc32:
            raise UnreadableError(f"{path} can't be read: its bytes aren't those that were written")
        return None

    def _resized(self, path: str, size: int, file: File) -> str:
        """The note on a file of another size than was written; UnreadableError if broken."""
        try:
            rows = self.opened(path).metadata.num_rows
        except (OSError, pa.ArrowException):
            raise UnreadableError(
                f"{path} can't be read: it has {size} bytes instead of {file.bytes}"
            ) from None
        return (
            f"{path} was changed by another program since it was written "
            f"({rows} rows instead of {file.rows})"
        )

    def broken(self, snapshot: str, tables: Collection[str]) -> str | None:
        try:
            manifest = self.manifest(snapshot) or Manifest()
            parts = [self._parts(manifest, table, snapshot, thoroughly=False) for table in tables]
        except UnreadableError as error:
            return str(error)
        return None if any(parts) else REMOVED

    def size(self, path: str) -> int:
        """The bytes of a file."""
        if not self.keeps:
            return Path(path).stat().st_size
        folder, _, name = path.rpartition("/")
        entry = (self.entries(folder) or {}).get(name)
        return (entry.size if entry else None) or 0

    def sizes(self, snapshot: str, tables: Collection[str]) -> list[int]:
        """The bytes of each file of these tables that is in its place."""
        folders = (self.files_in(self.folder(table, snapshot)) or {} for table in tables)
        return [self.size(path) for files in folders for path in files.values()]

    def foreign_files(self, snapshot: str, tables: Collection[str]) -> list[str]:
        """The files, by their paths from the root, that other programs put beside these tables."""
        manifest = self.manifest(snapshot) or Manifest()
        result = []
        for table in tables:
            ours = manifest.names(table)
            for name in sorted(self.entries(self.folder(table, snapshot)) or {}):
                is_table = name in ours if ours else is_part(name)
                if not is_table and name[0] != "." and name != "_SUCCESS":
                    result.append(f"{table}/snapshot={snapshot}/{name}")
        return result

    def at_once(self, snapshots: Collection[str], read: Callable[[], T]) -> T:
        before, is_last = self._manifests_of(snapshots), False
        while True:
            try:
                result, fault = read(), None
            except UnreadableError as error:
                fault = error
            now = self._manifests_of(snapshots)
            if now == before and not fault:
                return result
            if now == before and fault and (is_last or not self.is_local):
                raise fault
            before, is_last = now, now == before  # files may have been moved to their place
            if not self.is_local:
                raise UnreadableError(f"{self.root} was written while it was read: run it again")

    def _manifests_of(self, snapshots: Collection[str]) -> list[Manifest | str | None]:
        """What is there now, or why it can't be read."""
        now, result = self.for_next_look(), list[Manifest | str | None]()
        for snapshot in snapshots:
            try:
                result.append(now.manifest(snapshot))
            except UnreadableError as error:
                result.append(str(error))
        return result

    # Rows.

    def read(self, session: SparkSession, table: str, snapshot: str) -> StoredTable | None:
        parts = self.parts(table, snapshot)
        if not parts:
            return None
        footers = footers_of(self.opened, parts.paths)
        rows = read_files(session, table, parts.paths, footers and footers.schema)
        complete = footers.without_nulls if footers else frozenset[str]()
        return StoredTable(rows, parts.notes, complete)

    def read_several(
        self, session: SparkSession, table: str, snapshots: Collection[str]
    ) -> list[StoredTable]:
        alike: dict[tuple[str, str], list[tuple[Parts, Footers]]] = {}
        for snapshot in snapshots:
            if parts := self.parts(table, snapshot, thoroughly=False):
                footers = footers_of(self.opened, parts.paths) or Footers(
                    read_files(session, table, parts.paths).schema, frozenset()
                )
                base = parts.paths[0].rpartition(f"/{SNAPSHOT}=")[0]
                alike.setdefault((base, footers.schema.json()), []).append((parts, footers))
        return [_merged(session, table, base, items) for (base, _), items in alike.items()]

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
                if not may_have(file.metadata.row_group(number), wanted):
                    continue
                keys = file.read_row_group(number, [*wanted] or present)
                selection = matching_rows(keys, wanted)
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
        opened: dict[tuple[str, str], Sequence[str]] = {}
        for table, snapshot in product(tables, snapshots):
            with suppress(UnreadableError):
                parts = self.parts(table, snapshot, thoroughly=False)
                report = parts and not parts.notes and self._counts_of(table, snapshot, wanted)
                if isinstance(report, Counter):
                    result[table, snapshot] = report
                elif parts:
                    opened[table, snapshot] = parts.paths
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


def checksum(path: Path) -> str:
    """The CRC-32 of a file, in hex."""
    result = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            result = zlib.crc32(chunk, result)
    return f"{result:08x}"


def _unreadable_error(table: str, path: str, error: Exception) -> UnreadableError:
    return UnreadableError(f"table {table} can't be read from {path}: {first_line(error)}")


def _merged(
    session: SparkSession, table: str, base: str, items: Sequence[tuple[Parts, Footers]]
) -> StoredTable:
    """Tables with the same columns, in one folder; their own folders tell whose the rows are."""
    columns = (item for item in items[0][1].schema.fields if item.name != SNAPSHOT)
    schema = StructType([*columns, StructField(SNAPSHOT, StringType())])
    paths = [path for parts, _ in items for path in parts.paths]
    rows = read_files(session, table, paths, schema, {"basePath": base})
    notes = tuple(note for parts, _ in items for note in parts.notes)
    complete = frozenset.intersection(*(footers.without_nulls for _, footers in items))
    return StoredTable(rows, notes, complete)
