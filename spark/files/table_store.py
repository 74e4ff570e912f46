"""A folder of tables, wherever it lies: what is in it, held against its manifests."""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from spark.errors import RunError, UnreadableError
from spark.files.manifest import HIDDEN, File, Manifest
from spark.files.parts import Footers, Parts, read_parts
from spark.files.source import SNAPSHOT, Source, StoredTable


def rewritten(path: str, rows: int, file: File) -> str:
    """The error for a file that another program replaced by one with another number of rows."""
    return (
        f"{path} was changed by another program since it was written "
        f"({rows} rows instead of {file.rows})"
    )


class _UnreadTable(NamedTuple):
    """A table of one snapshot, before it is read."""

    parts: Parts
    footers: Footers


class TableStore(Source):
    """A folder with tables as `TABLE/snapshot=ID/*.parquet`."""

    def folder(self, table: str, snapshot: str) -> str:
        """Where one table of a snapshot is for everybody."""
        return f"{self.root}/{table}/snapshot={snapshot}"

    def aside(self, run: str, table: str, snapshot: str) -> str:
        """Where a run writes that table."""
        return f"{self.root}/{HIDDEN}/runs/{run}/{table}/snapshot={snapshot}"

    @abstractmethod
    def manifest(self, snapshot: str) -> Manifest | None:
        """The newest manifest of that snapshot; UnreadableError if it is broken."""

    @abstractmethod
    def files_in(self, folder: str) -> Mapping[str, str] | None:
        """The Parquet files in a folder, paths by name; None if there is no such folder."""

    @abstractmethod
    def changed(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        """What another program made of a file that can be read all the same, if anything.

        `file` is what the manifest has of it, if there is one. UnreadableError if it is broken,
        as far as it can be seen: `thoroughly` looks at each byte.
        """

    @abstractmethod
    def modified(self, folder: str) -> Mapping[str, float]:
        """When each file of a folder was last changed, by name, in seconds."""

    @abstractmethod
    def manifest_modified(self, snapshot: str) -> float | None:
        """When the newest manifest of that snapshot was written; None if that isn't known."""

    def footers(self, parts: Parts) -> Footers | None:
        """What the files of these parts say of themselves, where that takes no job of Spark's."""
        return None

    def written(self, snapshot: str) -> Collection[str]:
        manifest = self.manifest(snapshot)
        return manifest.tables if manifest else ()

    def read(self, session: SparkSession, table: str, snapshot: str) -> StoredTable | None:
        parts = self.parts(table, snapshot)
        if not parts:
            return None
        footers = self.footers(parts)
        rows = read_parts(session, table, parts, footers and footers.schema)
        if rows is None:
            return None
        return StoredTable(rows, parts.notes, footers.without_nulls if footers else frozenset())

    def read_several(
        self, session: SparkSession, table: str, snapshots: Collection[str]
    ) -> list[StoredTable]:
        alike: dict[tuple[str, str], list[_UnreadTable]] = {}
        for snapshot in snapshots:
            if parts := self.parts(table, snapshot, thoroughly=False):
                entries = _UnreadTable(
                    parts, self.footers(parts) or _footers_by_spark(session, table, parts)
                )
                base = parts.paths[0].rpartition(f"/{SNAPSHOT}=")[0]
                alike.setdefault((base, entries.footers.schema.json()), []).append(entries)
        return [
            _merged_table(session, table, base, known_values)
            for (base, _), known_values in alike.items()
        ]

    def paths(self, table: str, snapshots: Collection[str]) -> dict[str, tuple[str, ...]]:
        """What each of these snapshots of a table is read from, without those that can't be."""
        result: dict[str, tuple[str, ...]] = {}
        for snapshot in snapshots:
            with suppress(UnreadableError):
                if parts := self.parts(table, snapshot, thoroughly=False):
                    result[snapshot] = parts.paths
        return result

    def parts(self, table: str, snapshot: str, thoroughly: bool = True) -> Parts | None:
        """The files of one table of a snapshot; None where it has no such table.

        Raises UnreadableError when files of it are missing or broken.
        """
        return self._parts(self.manifest(snapshot) or Manifest(), table, snapshot, thoroughly)

    def _parts(
        self, manifest: Manifest, table: str, snapshot: str, thoroughly: bool
    ) -> Parts | None:
        """The same of a snapshot whose manifest has been read."""
        folder = self.folder(table, snapshot)
        lying = self.files_in(folder)
        if table not in manifest.tables:
            if lying is None or table in manifest.removed:
                return None
            changes = tuple(self._changes(lying, {}, thoroughly))
            return Parts(self._without_strays(folder, lying), changes)
        files = {file.name: file for file in manifest.tables[table]}
        result = self._opened(files, table, snapshot, lying or {})
        if lying is None and not result:
            return None
        if lying and not result:
            self._refuse_older(lying, table, snapshot)
            note = f"table {table} of snapshot {snapshot} was rewritten by another program"
            return Parts(self._without_strays(folder, lying), (note,))
        if missing := files.keys() - result.keys():
            raise UnreadableError(
                f"table {table} can't be read from {folder}: {min(missing)} is missing"
            )
        notes = [*self._changes(result, files, thoroughly)]
        if not lying or not result.items() <= lying.items():
            return Parts(tuple(result.values()), tuple(notes))
        if strange := lying.keys() - files.keys():
            self._refuse_older(strange, table, snapshot)
            notes.append(f"{folder} has files that another program put there, {min(strange)} first")
        return Parts(self._without_strays(folder, lying), tuple(notes))

    def _without_strays(self, folder: str, files: Mapping[str, str]) -> tuple[str, ...]:
        """A folder, or its files where something else lies in it that Spark would read as well."""
        return tuple(files.values()) if files and self.has_strays(folder) else (folder,)

    def has_strays(self, folder: str) -> bool:
        """Whether a folder has files that aren't hidden and hold no rows, as far as is known."""
        return False

    def _refuse_older(self, names: Collection[str], table: str, snapshot: str) -> None:
        """Raise UnreadableError where a file that the manifest doesn't name is older than it.

        Such a file is of a run before: those of the last one were lost on the way to their place.
        """
        folder = self.folder(table, snapshot)
        written, files = self.manifest_modified(snapshot), self.modified(folder)
        older = [name for name in names if name in files and written and files[name] < written]
        if older:
            raise UnreadableError(
                f"table {table} can't be read from {folder}: {min(older)} is older than its files. "
                f"Write the snapshot again, or remove its folder in {HIDDEN}/manifests"
            )

    def _opened(
        self, files: Mapping[str, File], table: str, snapshot: str, lying: Mapping[str, str]
    ) -> dict[str, str]:
        """The paths of these files: in their place, or where they were written."""
        runs = {file.run for file in files.values() if file.name not in lying}
        aside = {run: self.files_in(self.aside(run, table, snapshot)) or {} for run in runs}
        paths = {name: lying.get(name) or aside[file.run].get(name) for name, file in files.items()}
        return {name: path for name, path in paths.items() if path}

    def _changes(
        self, result: Mapping[str, str], files: Mapping[str, File], thoroughly: bool
    ) -> Iterator[str]:
        for name, path in sorted(result.items()):
            if note := self.changed(path, files.get(name), thoroughly):
                yield note


def _footers_by_spark(session: SparkSession, table: str, parts: Parts) -> Footers:
    rows = read_parts(session, table, parts)
    if rows is None:
        raise _gone(table, parts)
    return Footers(rows.schema, frozenset())


def _merged_table(
    session: SparkSession, table: str, base: str, entries: Sequence[_UnreadTable]
) -> StoredTable:
    """Tables with the same columns, in one folder; their own folders tell whose the rows are."""
    columns = (item for item in entries[0].footers.schema.fields if item.name != SNAPSHOT)
    notes = tuple(note for item in entries for note in item.parts.notes)
    every = Parts(tuple(path for item in entries for path in item.parts.paths), notes)
    schema = StructType([*columns, StructField(SNAPSHOT, StringType())])
    rows = read_parts(session, table, every, schema, {"basePath": base})
    if rows is None:
        raise _gone(table, every)
    return StoredTable(
        rows, notes, frozenset.intersection(*(item.footers.without_nulls for item in entries))
    )


def _gone(table: str, parts: Parts) -> UnreadableError:
    return UnreadableError(f"table {table} can't be read from {parts.paths[0]}: it is gone")


class TooLateError(RunError):
    """A run finds another's tables in the place of those that it began with."""

    def __init__(self, place: TableStore, snapshot: str) -> None:
        super().__init__(
            f"another run wrote snapshot {snapshot} of {place.root} in the meantime: that one is "
            "whole and stays, what this one made isn't kept"
        )
