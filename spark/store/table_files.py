"""Files of a folder that are a table, and whether they are as they were written."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyarrow as pa

from spark.errors import UnreadableError
from spark.store.listing import Entries, Listing, is_part
from spark.store.manifest import HIDDEN, File, Manifest, run_of as run_of_file
from spark.store.source import REMOVED

CHUNK = 1 << 20

LEAST = 12
"""Bytes of the smallest Parquet file: magic numbers at both ends, and the footer's length."""

T = TypeVar("T")


class Parts(NamedTuple):
    """The files that one table of a snapshot is read from.

    `notes` tell of files that another program has changed since they were written.
    """

    paths: tuple[str, ...]
    notes: tuple[str, ...] = ()


class TableFiles(Listing):
    """A folder whose tables are the files that manifests name, where there are any."""

    def ids(self, table: str) -> list[str]:
        return sorted(snapshot for snapshot in self.ids_of([table]) if self.has(table, snapshot))

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
        """Looked up again now: whoever asks has seen some of the snapshot, and some not."""
        now = self.for_next_look()
        try:
            manifest = now.manifest(snapshot) or Manifest()
        except UnreadableError:
            return False
        gone = set(manifest.removed).difference(manifest.tables)
        return all(table in gone or not now.has_folder(table, snapshot) for table in tables)

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
        """The files of one table, by the manifest of its snapshot."""
        folder = self.folder(table, snapshot)
        files = manifest.names(table)
        aside = self.lying_aside(files, table, snapshot)  # first: from there files come to place
        in_place = self.entries(folder)
        lying = {n: e for n, e in sorted((in_place or {}).items()) if is_part(n)}
        paths = aside | {name: f"{folder}/{name}" for name in files if name in lying}
        strange = manifest.strange(table, lying)
        if not files or (strange and not paths):
            if files:
                self._refuse_older(strange, lying, table, snapshot)
            elif table in manifest.removed:
                return None
            rewritten = f"table {table} of snapshot {snapshot} was rewritten by another program"
            paths = {name: f"{folder}/{name}" for name in strange}
            notes = [*self._changes(paths, {}, thoroughly), *([rewritten] if files else [])]
            return Parts(tuple(paths.values()), tuple(notes)) if paths else None
        if in_place is None and not paths:
            return None
        if missing := files.keys() - paths.keys():
            raise UnreadableError(
                f"table {table} can't be read from {folder}: {min(missing)} is missing"
            )
        notes = self._changes(paths, files, thoroughly)
        if strange and lying.keys() >= files.keys():
            notes.append(
                f"{folder} has files that another program put there, {strange[0]} first: they "
                "aren't read"
            )
        return Parts(tuple(paths[name] for name in sorted(files)), tuple(notes))

    def lying_aside(self, files: Mapping[str, File], table: str, snapshot: str) -> dict[str, str]:
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
    ) -> list[str]:
        """Notes on files that another program has changed and that can be read all the same.

        UnreadableError if one is broken, as far as it can be seen.
        """
        notes = (self._change(path, files.get(n), thoroughly) for n, path in sorted(paths.items()))
        return [note for note in notes if note]

    def _change(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        size = self.size(path)
        if size < LEAST:
            raise UnreadableError(f"{path} can't be read: it has {size} bytes, which is no Parquet")
        if file is None:
            return None
        if size != file.bytes:
            return self._note_on_size(path, size, file)
        if self.is_local and thoroughly and file.crc32 and checksum(Path(path)) != file.crc32:
            raise UnreadableError(f"{path} can't be read: its bytes aren't those that were written")
        return None

    def _note_on_size(self, path: str, size: int, file: File) -> str:
        """The note on a file of another size than was written; UnreadableError if broken."""
        try:
            rows = self.open(path).metadata.num_rows
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
        beside = []
        for table in tables:
            ours = manifest.names(table)
            for name in sorted(self.entries(self.folder(table, snapshot)) or {}):
                is_table = name in ours if ours else is_part(name)
                if not is_table and name[0] != "." and name != "_SUCCESS":
                    beside.append(f"{table}/snapshot={snapshot}/{name}")
        return beside

    def at_once(self, snapshots: Collection[str], read: Callable[[], T]) -> T:
        before, is_last = self._manifests_of(snapshots), False
        while True:
            try:
                tables, fault = read(), None
            except UnreadableError as error:
                fault = error
            now = self._manifests_of(snapshots)
            if now == before and not fault:
                return tables
            if now == before and fault and (is_last or not self.is_local):
                raise fault
            before, is_last = now, now == before  # files may have been moved to their place
            if not self.is_local:
                raise UnreadableError(f"{self.root} was written while it was read: run it again")

    def _manifests_of(self, snapshots: Collection[str]) -> list[Manifest | str | None]:
        """The manifests of these snapshots now, or why one can't be read."""
        now = self.for_next_look()

        def manifest_or_why(snapshot: str) -> Manifest | str | None:
            try:
                return now.manifest(snapshot)
            except UnreadableError as error:
                return str(error)

        return [*map(manifest_or_why, snapshots)]


def checksum(path: Path) -> str:
    """The CRC-32 of a file, in hex."""
    crc32 = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            crc32 = zlib.crc32(chunk, crc32)
    return f"{crc32:08x}"
