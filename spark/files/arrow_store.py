"""A folder of tables in an object store, or wherever else Arrow finds a file system by its URI."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from spark.errors import InputError, UnreadableError, first_line
from spark.files.direct_store import DirectStore, is_part
from spark.files.manifest import HIDDEN, LARGEST_MANIFEST, File, Manifest

_IN_PLACE = re.compile(r"([^/]+)/snapshot=([^/]+)")
_ASIDE = re.compile(rf"{re.escape(HIDDEN)}/runs/[^/]+/([^/]+)/snapshot=([^/]+)")
_WRITING = re.compile(r"[^/]+/snapshot=([^/]+)/_temporary(/.*)?")


FETCHED_AT_ONCE = 32
"""Small files that are fetched at the same time: each takes a moment, and no work."""


class NeedsSparkError(InputError):
    """This process can't open a place without Spark; `why`, where somebody may want to know."""

    def __init__(self, root: str, why: str | None = None) -> None:
        self.why = why
        super().__init__(f"{root} can't be opened without Spark" + (f": {why}" if why else ""))


class ArrowStore(DirectStore):
    """What a file system lists is kept: make one again for each look."""

    def __init__(self, root: str, system: fs.FileSystem, path: str) -> None:
        self.root = root.partition("?")[0].rstrip("/")  # what follows are settings of the system
        self.system, self.path = system, path.rstrip("/")
        self._manifests: dict[str, Manifest | None] = {}

    @staticmethod
    def at(root: str) -> ArrowStore:
        """The place of a URI; NeedsSparkError where Arrow has no such file system or can't look."""
        try:
            system, path = fs.FileSystem.from_uri(root)
        except (pa.ArrowException, OSError, ValueError):  # a scheme or settings of Hadoop's
            raise NeedsSparkError(root) from None
        try:
            system.get_file_info(path)
        except (pa.ArrowException, OSError) as error:
            raise NeedsSparkError(root, first_line(error)) from None
        return ArrowStore(root, system, path)

    @cached_property
    def _folders(self) -> dict[str, dict[str, fs.FileInfo]]:
        """The files of each folder by name; folders by their path from the root."""
        everything = fs.FileSelector(self.path, allow_not_found=True, recursive=True)
        try:
            listed = self.system.get_file_info(everything)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.root} can't be listed: {first_line(error)}") from None
        result: dict[str, dict[str, fs.FileInfo]] = {}
        for item in listed:
            if item.type == fs.FileType.File:
                folder, _, name = item.path.removeprefix(f"{self.path}/").rpartition("/")
                result.setdefault(folder, {})[name] = item
        return result

    def _below(self, path: str) -> str:
        return path.removeprefix(f"{self.root}/")

    def opened(self, path: str) -> pq.ParquetFile:
        file = self.system.open_input_file(f"{self.path}/{self._below(path)}")
        return pq.ParquetFile(file, page_checksum_verification=True)

    def named(self, tables: Iterable[str]) -> set[str]:
        return set().union(*(self._named.get(table, ()) for table in tables))

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """The ids that each table has a folder for, in its place or aside."""
        result: dict[str, set[str]] = {}
        for folder in self._folders:
            if named := _IN_PLACE.fullmatch(folder) or _ASIDE.fullmatch(folder):
                result.setdefault(named[1], set()).add(named[2])
        return result

    def has(self, table: str, snapshot: str) -> bool:
        files = self.files_in(self.folder(table, snapshot))
        return bool(files) or self._is_there(table, snapshot)

    def being_written(self, among: Collection[str]) -> set[str]:
        return self._written.intersection(among)

    @cached_property
    def _written(self) -> set[str]:
        return {result[1] for result in map(_WRITING.fullmatch, self._folders) if result}

    def having_fetched(self, snapshots: Collection[str]) -> ArrowStore:
        """The manifests of these snapshots are fetched many at a time."""

        def fetch(snapshot: str) -> None:
            with suppress(UnreadableError):  # whoever reads the table gets the error
                self.manifest(snapshot)

        with ThreadPoolExecutor(FETCHED_AT_ONCE) as pool:
            list(pool.map(fetch, snapshots))
        return self

    def manifest(self, snapshot: str) -> Manifest | None:
        if snapshot not in self._manifests:
            folder = self._folders.get(f"{HIDDEN}/manifests/snapshot={snapshot}", {})
            files = (item for name, item in sorted(folder.items()) if name[0] not in "._")
            entries = (self._read_manifest(file.path) for file in files)
            self._manifests[snapshot] = max(entries, key=lambda item: item.version, default=None)
        return self._manifests[snapshot]

    def _read_manifest(self, path: str) -> Manifest:
        try:
            with self.system.open_input_stream(path) as file:
                return Manifest.from_text(file.read(LARGEST_MANIFEST).decode(), path)
        except UnreadableError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            raise UnreadableError(f"{path} can't be read: {first_line(error)}") from None

    def files_in(self, folder: str) -> Mapping[str, str] | None:
        names = self._folders.get(self._below(folder))
        if names is None:
            return None
        return {name: f"{folder}/{name}" for name in sorted(names) if is_part(name)}

    def modified(self, folder: str) -> dict[str, float]:
        result = self._folders.get(self._below(folder), {})
        return {
            name: item.mtime_ns / 1e9 for name, item in result.items() if item.mtime_ns is not None
        }

    def changed(self, path: str, file: File | None, thoroughly: bool) -> str | None:
        """Of what it reads each page is checked: not all bytes are fetched for that."""
        if file is None:
            return None
        folder, _, name = self._below(path).rpartition("/")
        size = self._folders[folder][name].size
        return None if size == file.bytes else self.resized(path, size, file)
