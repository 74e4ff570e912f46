"""Runs write to a folder: a manifest is the commit, and files come to their place after.

On a disk a run writes aside, in a folder of its own, and holds a lock by which others know that it
is alive. On another file system, where moving is copying, files have their last names from the
start, and one run at a time may write.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import pyarrow as pa

from spark.errors import RunError
from spark.store.disk import sync_folder
from spark.store.finish import REMOVING, delete, finish, is_settled, manifest_or_none, moving, sweep
from spark.store.folder import Folder
from spark.store.manifest import (
    HIDDEN,
    Columns,
    File,
    Manifest,
    column_statistics,
    is_over,
    new_run,
    run_of,
)
from spark.store.parquet import cells_of, write_file
from spark.store.table_files import checksum

TRIES = 100
"""How often a run may lose its folder to another one before it is locked."""


class TooLateError(RunError):
    """A run finds another's tables in the place of those that it began with."""

    def __init__(self, place: Folder, snapshot: str) -> None:
        super().__init__(
            f"another run wrote snapshot {snapshot} of {place.root} in the meantime: that one is "
            "whole and stays, what this one made isn't kept"
        )


class Run:
    """Writes or removes snapshots; of each it replaces the tables that it owns.

    As a context manager it leaves nothing behind of what wasn't committed. `done` are the snapshots
    whose new manifest is there: an error of the disk after that is a RunError which says so.
    """

    def __init__(self, place: Folder, owned: Collection[str], *snapshots: str) -> None:
        self.place, self.owned, self.snapshots = place, owned, snapshots
        self.done: list[str] = []
        self.made: list[Path] = []
        self.removes = False
        self.id = new_run()
        self.path = place.path / HIDDEN / "runs" / self.id

    def __enter__(self) -> Self:
        if self.place.is_local:
            for table in self.owned:
                _check_writable(self.place.path / table)
            sweep(self.place)
            if not any(self._is_begun() for _ in range(TRIES)):
                raise RunError(f"{self.place.root} can't be written: folders in it vanish at once")
            for folder in self.made:
                sync_folder(folder.parent)
        self.begun = {snapshot: self._manifest(snapshot) for snapshot in self.snapshots}
        self.seen = {snapshot: self._lying(snapshot) for snapshot in self.snapshots}
        for snapshot, manifest in self.begun.items():
            if not (self.place.is_local or manifest.version):
                # from now on nobody reads files that no manifest names
                files = {table: self.adopt(table, snapshot) for table in self.owned}
                self.begun[snapshot] = Manifest(
                    1, {t: named for t, named in files.items() if named}
                )
                if not self._put(snapshot, self.begun[snapshot]):
                    raise TooLateError(self.place, snapshot)
        return self

    def _is_begun(self) -> bool:
        """False if another run took the folder for one that was left, before it was locked."""
        hidden = self.path.with_name(f".{self.id}")
        lock = None
        try:
            self.made += _make_folders(hidden)
            lock = os.open(hidden, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks, where nothing is swept
                fcntl.flock(lock, fcntl.LOCK_EX)
            hidden.rename(self.path)
        except FileNotFoundError:
            if lock is not None:
                os.close(lock)
            return False
        self.lock = lock
        return True

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not self.place.is_local:
            return
        if is_settled(self.place, self.path):
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)
        for folder in (*reversed(self.made), self.path.parent):
            with suppress(OSError):  # it isn't empty
                folder.rmdir()
        if self.done and isinstance(error, OSError):
            named = ", ".join(self.done)
            raise RunError(
                f"{self.place.root} can't be written: {error.strerror or error}: {named} is "
                f"{'removed' if self.removes else 'written'} all the same, and the next run that "
                "writes there finishes the rest"
            ) from None

    def folder(self, table: str, snapshot: str = "") -> str:
        """Where the files of a table are written."""
        snapshot = snapshot or self.snapshots[0]
        if self.place.is_local:
            return self.place.aside(self.id, table, snapshot)
        return self.place.folder(table, snapshot)

    def write(
        self,
        table: str,
        rows: Iterable[pa.Table],
        schema: pa.Schema,
        statistics: Iterable[Columns] = (),
        part: int = 0,
        snapshot: str = "",
    ) -> File:
        """Write one file of a table."""
        path = f"{self.folder(table, snapshot)}/part-{part:05}-{self.id}.parquet"
        system = self.place.system
        return write_file(self.place.inner(path), self.id, rows, schema, statistics, system)

    def adopt(self, table: str, snapshot: str, statistics: Iterable[Columns] = ()) -> list[File]:
        """The files that a table has in its place, as they are now, for a manifest."""
        paths = (self.place.files_in(self.place.folder(table, snapshot)) or {}).values()
        return [_adopt(self.place, path, statistics) for path in paths]

    def commit(
        self,
        written: Mapping[str, Sequence[File]],
        snapshot: str = "",
        owned: Collection[str] | None = None,
    ) -> None:
        """Make these files the tables of a snapshot; what else it owns of it isn't there then.

        Raises TooLateError when another run has written owned tables of the snapshot meanwhile;
        they stay as they are then.
        """
        snapshot = snapshot or self.snapshots[0]
        owned = self.owned if owned is None else owned
        if self.place.is_local:
            for table in written:
                if Path(self.folder(table, snapshot)).is_dir():
                    sync_folder(Path(self.folder(table, snapshot)))
                    sync_folder(Path(self.folder(table, snapshot)).parent)
            sync_folder(self.path)
            _check_visible(self.place, snapshot, self.id, written)
        elif is_over(self.id):  # whose files others take for those of a dead run
            raise RunError(f"{self.place.root} can't be written: this run took more than a day")
        with moving(self.place):
            while True:
                place = self.place.for_next_look()
                version = next_version(place, snapshot)
                now = self.check_current(snapshot, owned)
                replaces = {
                    table: self._void_files(place, snapshot, table, now, written.get(table, ()))
                    for table in owned
                }
                version = max(version, now.version + 1)
                if self._put(snapshot, now.next(version, written, owned, replaces)):
                    break
            finish(self.place, snapshot)

    def _void_files(
        self, place: Folder, snapshot: str, table: str, now: Manifest, files: Sequence[File]
    ) -> list[str]:
        """The files in the place of a table that a commit makes void."""
        new, old = {file.name for file in files}, now.names(table)
        lying = list(place.files_in(place.folder(table, snapshot)) or {})
        passed = {*old, *(now.replaces or {}).get(table, ())}
        if not old.keys() & {*lying}:  # another program's table, or copies of what lies aside
            passed |= self.seen[snapshot].get(table, set())
        return [
            name
            for name in lying
            if name not in new and (name in passed or _is_left(place, run_of(name), self.id))
        ]

    def check_current(self, snapshot: str = "", owned: Collection[str] | None = None) -> Manifest:
        """The manifest; TooLateError if another run has written owned tables meanwhile."""
        snapshot = snapshot or self.snapshots[0]
        owned = self.owned if owned is None else owned
        now = self._manifest(snapshot)
        if now.of(owned) != self.begun[snapshot].of(owned):
            raise TooLateError(self.place, snapshot)
        return now

    def remove(self, snapshot: str, seen: Manifest | None) -> bool:
        """Remove a snapshot, all of its owned tables, other programs' files among them.

        Its manifest says first that they are removed, which is one step: from then on no reader
        takes what is left for a snapshot. The manifest goes last. False if a run has written or
        removed the snapshot since `seen` was its manifest.
        """
        self.removes = True
        to_do = self.path / REMOVING / f"snapshot={snapshot}"
        if self.place.is_local:
            to_do.mkdir(parents=True)
        with moving(self.place):
            place = self.place.for_next_look()
            version = next_version(place, snapshot)
            unchanged = place.manifest(snapshot) == seen
            if not (unchanged and self._put(snapshot, Manifest(version, {}, sorted(self.owned)))):
                if self.place.is_local:
                    to_do.rmdir()
                return False
            finish(self.place, snapshot)
        if self.place.is_local:
            to_do.rmdir()
        return True

    def _put(self, snapshot: str, manifest: Manifest) -> bool:
        """Make this the next manifest of a snapshot; False if another run was faster."""
        name = f"{manifest.version:06}.json"
        if self.place.is_local:
            target = Path(self.place.manifests(snapshot)) / name
            half = self.path / f"{snapshot}-{name}"  # linked: nothing else may be written to it
            with half.open("w", encoding="utf-8") as file:
                file.write(manifest.to_text())
                file.flush()
                os.fsync(file.fileno())
            if not _link(half, target):
                return False
            self.done.append(snapshot)
            sync_folder(target.parent)
            sync_folder(target.parent.parent)
        elif not _put_remotely(self.place.again(), self.place.manifests(snapshot), name, manifest):
            return False
        _forget_before(self.place, snapshot, name)
        return True

    def _manifest(self, snapshot: str) -> Manifest:
        return manifest_or_none(self.place.for_next_look(), snapshot) or Manifest()

    def _lying(self, snapshot: str) -> dict[str, set[str]]:
        """The files of each owned table that are in its place."""
        place = self.place.for_next_look()
        return {t: {*(place.files_in(place.folder(t, snapshot)) or ())} for t in self.owned}


def _adopt(place: Folder, path: str, statistics: Iterable[Columns]) -> File:
    with place.open(path) as file:
        rows = file.metadata.num_rows
        cells = column_statistics({columns: cells_of(file, columns) for columns in statistics})
    name = path.rpartition("/")[2]
    crc32 = checksum(Path(path)) if place.is_local else None
    return File(name, "", place.size(path), rows, crc32, cells)


def _is_left(place: Folder, run: str | None, own: str) -> bool:
    """Whether what a run wrote, and no manifest names, is nobody's: on a disk runs write aside."""
    return run is not None and (place.is_local or run == own or is_over(run))


def _check_visible(
    place: Folder, snapshot: str, run: str, written: Mapping[str, Sequence[File]]
) -> None:
    """RunError where workers wrote to a disk that isn't this machine's."""
    for table, files in written.items():
        aside = place.aside(run, table, snapshot)
        for file in files:
            if file.run == run and not Path(aside, file.name).exists():
                raise RunError(
                    f"{aside} has no file {file.name} after it was written: on a cluster that "
                    "folder has to be one that all machines share"
                )


def next_version(place: Folder, snapshot: str) -> int:
    """After that of each manifest, the broken ones among them."""
    names = (name.partition(".")[0] for name in place.entries(place.manifests(snapshot)) or ())
    newest = manifest_or_none(place, snapshot) or Manifest()
    return max((newest.version, *(int(name) for name in names if name.isdecimal()))) + 1


def _forget_before(place: Folder, snapshot: str, name: str) -> None:
    """Delete the manifests that another has replaced, those of earlier versions among them."""
    folder = place.manifests(snapshot)
    for older in place.for_next_look().entries(folder) or ():
        if older < name or not older.endswith(".json"):
            delete(place, f"{folder}/{older}")


def _link(half: Path, target: Path) -> bool:
    """Whether a file could be put where none was."""
    while True:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(half, target)
        except FileExistsError:
            return False
        except FileNotFoundError:
            if not half.exists():
                raise
            continue  # whoever removed the snapshot has just removed the folder
        except OSError:  # a file system without links
            if target.exists():
                return False
            half.rename(target)
        return True


def _put_remotely(place: Folder, folder: str, name: str, manifest: Manifest) -> bool:
    """Whether a manifest could be put where none was, and none is newer.

    Other runs have replaced and deleted that version where a newer one is there.
    """
    target, content = place.inner(f"{folder}/{name}"), manifest.to_text().encode()
    assert place.system
    if place.create:
        is_new = place.create(target, content)
    elif is_new := name not in (place.entries(folder) or {}):  # one run at a time may write
        place.system.create_dir(place.inner(folder))
        half = place.inner(f"{folder}/.{name}")
        with place.system.open_output_stream(half) as file:
            file.write(content)
        place.system.move(half, target)
    if is_new and max(place.again().entries(folder) or [name]) > name:
        delete(place, f"{folder}/{name}")
        return False
    return is_new


def _check_writable(folder: Path) -> None:
    """Raise OSError now if nothing can be moved into a folder that is there."""
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _make_folders(path: Path) -> list[Path]:
    """Make a folder and those above it; which ones weren't there."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()][::-1]
    path.mkdir(parents=True, exist_ok=True)
    return missing
