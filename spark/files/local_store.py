"""A folder of tables that this process can open by itself."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pyarrow.parquet as pq

from spark.errors import InputError, UnreadableError
from spark.files.direct_store import DirectStore, is_part
from spark.files.disk import read_whole
from spark.files.manifest import HIDDEN, LARGEST_MANIFEST, File, Manifest
from spark.files.parts import Footers, Parts, footers_of

CHUNK = 1 << 20


def checksum(path: Path) -> str:
    """The CRC-32 of a file, in hex."""
    result = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            result = zlib.crc32(chunk, result)
    return f"{result:08x}"


T = TypeVar("T")

LEAST = 12
"""Bytes of the smallest Parquet file: magic numbers at both ends, and the footer's length."""

Entries = Mapping[str, int | None]
"""What is in a folder: the sizes of files by name, and None for folders."""

_OF_SNAPSHOT = re.compile(r"snapshot=(.+)", re.DOTALL)


class LocalStore(DirectStore):
    """Its files are examined one by one, each byte of what is read."""

    def __init__(self, root: Path | str) -> None:
        self.root = str(root).rstrip("/") or "/"
        self.path = Path(self.root)

    def for_one_look(self) -> CachedStore:
        return CachedStore(self.root)

    def opened(self, path: str) -> pq.ParquetFile:
        return pq.ParquetFile(path, page_checksum_verification=True)

    def entries(self, folder: str) -> Entries | None:
        """What is in a folder; None if that isn't one."""
        result: dict[str, int | None] = {}
        try:
            with os.scandir(folder) as listed:
                for item in listed:
                    try:
                        result[item.name] = None if item.is_dir() else item.stat().st_size
                    except FileNotFoundError:  # it is gone by now, or is a link to nothing
                        continue
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"{folder} can't be listed: {error.strerror}") from None
        return result

    def _folders(self, parent: str) -> list[str]:
        """The names of the folders in a folder that aren't hidden."""
        result = self.entries(parent) or {}
        return [name for name, size in result.items() if size is None and name[0] not in "._"]

    def _named(self, table: str) -> set[str]:
        return _ids_in(self._folders(f"{self.root}/{table}"))

    def _aside(self, table: str) -> set[str]:
        """The ids of which runs have written that table, and not put it in its place yet."""
        runs = f"{self.root}/{HIDDEN}/runs"
        return set().union(
            *(_ids_in(self._folders(f"{runs}/{run}/{table}")) for run in self._folders(runs))
        )

    def named(self, tables: Iterable[str]) -> set[str]:
        return set().union(*(self._named(table) | self._aside(table) for table in tables))

    def has(self, table: str, snapshot: str) -> bool:
        aside = self._aside(table)  # examined first: from there it comes to its place
        if self.files_in(self.folder(table, snapshot)):
            return True
        return snapshot in aside and self._is_there(table, snapshot)

    def has_folder(self, table: str, snapshot: str) -> bool:
        """Whether that table of a snapshot has a folder in its place, with files in it or not."""
        return self.entries(self.folder(table, snapshot)) is not None

    def is_gone(self, snapshot: str, tables: Collection[str]) -> bool:
        try:
            manifest = self.manifest(snapshot) or Manifest()
        except UnreadableError:
            return False
        gone = set(manifest.removed).difference(manifest.tables)
        return all(table in gone or not self.has_folder(table, snapshot) for table in tables)

    def being_written(self, among: Collection[str]) -> set[str]:
        tables = self._folders(self.root)
        return {
            snapshot
            for snapshot in among
            for table in tables
            if "_temporary" in (self.entries(self.folder(table, snapshot)) or {})
        }

    def manifest(self, snapshot: str) -> Manifest | None:
        folder = self.path / HIDDEN / "manifests" / f"snapshot={snapshot}"
        try:
            texts = {
                path: read_whole(path, LARGEST_MANIFEST).decode()
                for path in folder.iterdir()
                if path.name[0] not in "._"
            }
        except FileNotFoundError:  # or one that was replaced after it was listed
            return LocalStore.manifest(self, snapshot) if folder.is_dir() else None
        except (OSError, ValueError) as error:
            raise UnreadableError(f"{folder} can't be read: {error}") from None
        result = [Manifest.from_text(text, str(path)) for path, text in sorted(texts.items())]
        return max(result, key=lambda manifest: manifest.version, default=None)

    def parts(self, table: str, snapshot: str, thoroughly: bool = True) -> Parts | None:
        """The same; what looks odd is examined twice, since a run may be moving it meanwhile."""
        before: Manifest | None = None
        while True:
            manifest = self.manifest(snapshot) or Manifest()
            fault: Exception | None = None
            parts = None
            try:
                parts = self._parts(manifest, table, snapshot, thoroughly)
                if parts and not parts.notes:
                    return parts
            except UnreadableError as error:
                fault = error
            except FileNotFoundError as error:
                fault = UnreadableError(f"{error.filename} can't be read: it is gone")
            if manifest == before:
                if fault:
                    raise fault
                return parts
            before = manifest

    def at_once(self, snapshots: Collection[str], read: Callable[[], T]) -> T:
        while True:
            before = self._manifests_of(snapshots)
            try:
                result = read()
            except UnreadableError:
                if self._manifests_of(snapshots) == before:
                    raise
            else:
                if self._manifests_of(snapshots) == before:
                    return result

    def _manifests_of(self, snapshots: Collection[str]) -> list[Manifest | str | None]:
        """What is there now, or why it can't be read."""
        result: list[Manifest | str | None] = []
        for snapshot in snapshots:
            try:
                result.append(LocalStore.manifest(self, snapshot))
            except UnreadableError as error:
                result.append(str(error))
        return result

    def modified(self, folder: str) -> dict[str, float]:
        try:
            with os.scandir(folder) as listed:
                return {item.name: item.stat().st_mtime for item in listed}
        except FileNotFoundError:  # a run has just moved it
            return {}

    def files_in(self, folder: str) -> dict[str, str] | None:
        names = self.entries(folder)
        if names is None:
            return None
        return {name: f"{folder}/{name}" for name in sorted(names) if is_part(name)}

    def has_strays(self, folder: str) -> bool:
        entries = (self.entries(folder) or {}).items()
        return any(not is_part(name) and name[0] not in "._" for name, size in entries if size)

    def size(self, path: str) -> int:
        """The bytes of a file."""
        return Path(path).stat().st_size

    def sizes(self, snapshot: str, tables: Collection[str]) -> list[int]:
        """The bytes of each file of these tables that is in its place."""
        folders = (self.files_in(self.folder(table, snapshot)) or {} for table in tables)
        return [self.size(path) for files in folders for path in files.values()]

    def foreign_files(self, snapshot: str, tables: Collection[str]) -> list[str]:
        """The files, by their paths from the root, that other programs put beside these tables."""
        manifest = self.manifest(snapshot) or Manifest()
        result = []
        for table in tables:
            ours = {file.name for file in manifest.tables.get(table, ())}
            for name in sorted(self.entries(self.folder(table, snapshot)) or {}):
                is_table = name in ours if ours else is_part(name)
                if not is_table and name[0] != "." and name != "_SUCCESS":
                    result.append(f"{table}/snapshot={snapshot}/{name}")
        return result

    def changed(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        size = self.size(path)
        if size < LEAST:
            raise UnreadableError(f"{path} can't be read: it has {size} bytes, which is no Parquet")
        if file is None:
            return None
        if size != file.bytes:
            return self.resized(path, size, file)
        if thoroughly and file.crc32 and checksum(Path(path)) != file.crc32:
            raise UnreadableError(f"{path} can't be read: its bytes aren't those that were written")
        return None

    def footers(self, parts: Parts) -> Footers | None:
        return footers_of(self.files_of(parts.paths))


class CachedStore(LocalStore):
    """The same folder as it was when it was first examined, each part of it once."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self._entries: dict[str, Entries | None] = {}
        self._manifests: dict[str, Manifest | None] = {}
        self._ids_aside: dict[str, set[str]] = {}

    def for_one_look(self) -> CachedStore:
        return self

    def for_next_look(self) -> CachedStore:
        return CachedStore(self.root)

    def entries(self, folder: str) -> Entries | None:
        if folder not in self._entries:
            self._entries[folder] = super().entries(folder)
        return self._entries[folder]

    def _aside(self, table: str) -> set[str]:
        if table not in self._ids_aside:
            self._ids_aside[table] = super()._aside(table)
        return self._ids_aside[table]

    def manifest(self, snapshot: str) -> Manifest | None:
        if snapshot not in self._manifests:
            self._manifests[snapshot] = super().manifest(snapshot)
        return self._manifests[snapshot]

    def parts(self, table: str, snapshot: str, thoroughly: bool = True) -> Parts | None:
        """What looks odd is examined again, as it is now."""
        with suppress(UnreadableError, FileNotFoundError):
            manifest = self.manifest(snapshot) or Manifest()
            parts = self._parts(manifest, table, snapshot, thoroughly)
            if parts and not parts.notes:
                return parts
        return LocalStore(self.root).parts(table, snapshot, thoroughly)

    def is_gone(self, snapshot: str, tables: Collection[str]) -> bool:
        """As of now: whoever asks has seen some of it, and some not."""
        return LocalStore(self.root).is_gone(snapshot, tables)

    def size(self, path: str) -> int:
        folder, _, name = path.rpartition("/")
        return (self.entries(folder) or {}).get(name) or 0


def _ids_in(folders: Iterable[str]) -> set[str]:
    return {result[1] for result in map(_OF_SNAPSHOT.fullmatch, folders) if result}
