"""Listings of a folder of tables, and its manifests.

It is one of this machine, or on any file system that Arrow finds by its URI.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from spark.errors import InputError, UnreadableError, first_line
from spark.store.disk import read_whole
from spark.store.manifest import HIDDEN, LARGEST_MANIFEST, Manifest
from spark.store.source import Source

FETCHED_AT_ONCE = 32
"""Small files that are fetched at the same time: each takes a moment, and no work."""

_OF_SNAPSHOT = re.compile(r"snapshot=(.+)", re.DOTALL)


class Stat(NamedTuple):
    """A file or a folder; `size` is None for folders, `at` when it was changed, in seconds."""

    size: int | None
    at: float = 0.0


T = TypeVar("T")

Entries = Mapping[str, Stat]
"""The files and folders in a folder, by name."""


def is_part(name: str) -> bool:
    """Whether a file of that name holds rows, as readers of Parquet see it."""
    return name.endswith(".parquet") and name[0] not in "._"


class Listing(Source):
    """A folder with tables as `TABLE/snapshot=ID/*.parquet`.

    With `keeps`, and on another file system always, what was seen of it once is kept: make one
    again for each look. `base` is what its root is for `system`. `create` puts a file there, by its
    path for `system`, unless there is one: then it returns False.
    """

    def __init__(
        self,
        root: Path | str,
        system: fs.FileSystem | None = None,
        base: str = "",
        keeps: bool = False,
        create: Callable[[str, bytes], bool] | None = None,
    ) -> None:
        self.root = str(root).rstrip("/") or "/"
        self.path = Path(self.root)
        self.system, self.base, self.create = system, base.rstrip("/"), create
        self.keeps = keeps or system is not None
        self._seen: dict[str, Entries | None] = {}
        self._manifests: dict[str, Manifest | None] = {}

    @property
    def is_local(self) -> bool:
        """Whether it is one of this machine, where files are moved and runs hold locks."""
        return self.system is None

    def again(self, keeps: bool = True) -> Self:
        """The folder, of which nothing has been seen yet."""
        return type(self)(self.root, self.system, self.base, keeps, self.create)

    def for_one_look(self) -> Self:
        return self if self.keeps else self.again()

    def for_next_look(self) -> Self:
        return self.again() if self.keeps else self

    def inner(self, path: str) -> str:
        """A path of it as its file system knows it."""
        return path if self.is_local else f"{self.base}{path.removeprefix(self.root)}"

    def open(self, path: str) -> pq.ParquetFile:
        """A file of which no page is taken whose bytes aren't those that were written."""
        source = self.system.open_input_file(self.inner(path)) if self.system else path
        return pq.ParquetFile(source, page_checksum_verification=True)

    def folder(self, table: str, snapshot: str) -> str:
        """Where one table of a snapshot is for everybody."""
        return f"{self.root}/{table}/snapshot={snapshot}"

    def aside(self, run: str, table: str, snapshot: str) -> str:
        """Where a run of this machine writes that table."""
        return f"{self.root}/{HIDDEN}/runs/{run}/{table}/snapshot={snapshot}"

    def manifests(self, snapshot: str) -> str:
        """The folder of a snapshot's manifests."""
        return f"{self.root}/{HIDDEN}/manifests/snapshot={snapshot}"

    # What is there.

    def entries(self, folder: str) -> Entries | None:
        """The files and folders in a folder; None if that isn't one."""
        return self._kept(self._seen, folder, self._list)

    def _kept(self, cache: dict[str, T], name: str, read: Callable[[str], T]) -> T:
        """What is read by that name; from the cache, if the folder keeps what it has seen."""
        if not self.keeps:
            return read(name)
        if name not in cache:
            cache[name] = read(name)
        return cache[name]

    def _list(self, folder: str) -> Entries | None:
        if not self.is_local:
            return self._tree.get(self.inner(folder))
        by_name: dict[str, Stat] = {}
        try:
            with os.scandir(folder) as listed:
                for child in listed:
                    with suppress(FileNotFoundError):  # it is gone by now, or a link to nothing
                        state = child.stat()
                        size = None if child.is_dir() else state.st_size
                        by_name[child.name] = Stat(size, state.st_mtime)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"{folder} can't be listed: {error.strerror}") from None
        return by_name

    @cached_property
    def _tree(self) -> dict[str, dict[str, Stat]]:
        """Each folder's files and folders: a request that lists many takes no longer than one."""
        assert self.system
        everything = fs.FileSelector(self.base, allow_not_found=True, recursive=True)
        try:
            listed = self.system.get_file_info(everything)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.root} can't be listed: {first_line(error)}") from None
        tree: dict[str, dict[str, Stat]] = {}
        for child in listed:
            entry = Stat(child.size, (child.mtime_ns or 0) / 1e9) if child.is_file else Stat(None)
            path = child.path.rstrip("/")
            while path != self.base:  # object stores don't list folders
                above, _, name = path.rpartition("/")
                tree.setdefault(above, {}).setdefault(name, entry)
                path, entry = above, Stat(None)
            if not child.is_file:
                tree.setdefault(child.path.rstrip("/"), {})
        return tree

    def folders(self, parent: str) -> list[str]:
        """The names of the folders in a folder that aren't hidden."""
        children = self.entries(parent) or {}
        return [
            name for name, entry in children.items() if entry.size is None and name[0] not in "._"
        ]

    def files_in(self, folder: str) -> dict[str, str] | None:
        """The Parquet files in a folder, paths by name; None if there is no such folder."""
        names = self.entries(folder)
        if names is None:
            return None
        return {name: f"{folder}/{name}" for name in sorted(names) if is_part(name)}

    def ids_of(self, tables: Iterable[str]) -> set[str]:
        return {
            snapshot
            for table in tables
            for snapshot in self._ids_in(table) | self._ids_aside(table)
        }

    def _ids_in(self, table: str) -> set[str]:
        folders = map(_OF_SNAPSHOT.fullmatch, self.folders(f"{self.root}/{table}"))
        return {matched[1] for matched in folders if matched}

    def _ids_aside(self, table: str) -> set[str]:
        """The ids of which runs have written that table, and not put it in its place yet."""
        runs = f"{HIDDEN}/runs"
        names = self.folders(f"{self.root}/{runs}")
        return set().union(*(self._ids_in(f"{runs}/{run}/{table}") for run in names))

    def has_folder(self, table: str, snapshot: str) -> bool:
        """Whether that table of a snapshot has a folder in its place, with files in it or not."""
        return self.entries(self.folder(table, snapshot)) is not None

    def being_written(self, among: Collection[str]) -> set[str]:
        tables = self.folders(self.root)
        return {
            snapshot
            for snapshot in among
            for table in tables
            if "_temporary" in (self.entries(self.folder(table, snapshot)) or {})
        }

    def tables_of(self, snapshot: str) -> Collection[str]:
        manifest = self.manifest(snapshot)
        return manifest.tables if manifest else ()

    # Manifests.

    def having_fetched(self, snapshots: Collection[str]) -> Self:
        """The manifests of these snapshots are fetched many at a time."""

        def fetch(snapshot: str) -> None:
            with suppress(UnreadableError):  # whoever reads the table gets the error
                self.manifest(snapshot)

        if not self.is_local:
            with ThreadPoolExecutor(FETCHED_AT_ONCE) as pool:
                list(pool.map(fetch, snapshots))
        return self

    def manifest(self, snapshot: str) -> Manifest | None:
        """The newest manifest of that snapshot; UnreadableError if it is broken."""
        return self._kept(self._manifests, snapshot, self._manifest)

    def _manifest(self, snapshot: str) -> Manifest | None:
        folder = self.manifests(snapshot)
        listed = self.entries(folder) if not self.is_local else self._list(folder)
        paths = [f"{folder}/{name}" for name in sorted(listed or {}) if name[0] not in "._"]
        try:
            texts = {path: self._text(path) for path in paths}
        except FileNotFoundError:  # one that was replaced after it was listed
            return self.again(keeps=False)._manifest(snapshot)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise UnreadableError(f"{folder} can't be read: {first_line(error)}") from None
        versions = [Manifest.from_text(text, path) for path, text in texts.items()]
        return max(versions, key=lambda manifest: manifest.version, default=None)

    def _text(self, path: str) -> str:
        if self.system is None:
            return read_whole(Path(path), LARGEST_MANIFEST).decode()
        with self.system.open_input_stream(self.inner(path)) as file:
            content: bytes = file.read(LARGEST_MANIFEST)
            return content.decode()

    def _manifest_at(self, snapshot: str) -> float:
        """When the newest manifest was written, in seconds."""
        files = self.entries(self.manifests(snapshot)) or {}
        return max((entry.at for name, entry in files.items() if name[0] not in "._"), default=0.0)
