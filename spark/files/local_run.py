"""What one run writes to a local folder: aside at first, then in its place, all at once."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow.parquet as pq

from spark.errors import RunError, UnreadableError
from spark.files.checksum import checksum
from spark.files.local_place import LocalPlace
from spark.files.manifest import HIDDEN, File, Manifest
from spark.files.run_name import new_run
from spark.files.too_late import too_late

REPLACED = "replaced"
"""Folder of a run with what it took out of its place."""


class LocalRun:
    """Writes tables of one snapshot; of those that it owns it replaces all.

    As a context manager it holds a lock, by which other runs know that it is alive, and leaves
    nothing behind of what wasn't committed.
    """

    def __init__(self, place: LocalPlace, snapshot: str, owned: Collection[str]) -> None:
        self.place, self.snapshot, self.owned = place, snapshot, owned
        self.id = new_run()
        self.path = place.path / HIDDEN / "runs" / self.id

    def folder(self, table: str) -> Path:
        """Where to write a table; the folder isn't there yet."""
        return Path(self.place.aside(self.id, table, self.snapshot))

    def __enter__(self) -> LocalRun:
        for table in self.owned:
            _check_writable(self.place.path / table)
        sweep(self.place)
        hidden = self.path.with_name(f".{self.id}")  # until it is locked
        self.made = _make_folders(hidden)
        self.lock = os.open(hidden, os.O_RDONLY)
        with suppress(OSError):  # a file system without locks, where nothing is swept
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        hidden.rename(self.path)
        self.begun = self._manifest().of(self.owned)
        return self

    def __exit__(self, *_: object) -> None:
        if _is_settled(self.place, self.path):
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)
        for folder in reversed(self.made):
            with suppress(OSError):  # it isn't empty
                folder.rmdir()

    def commit(
        self, tables: Collection[str], kept: Mapping[str, Sequence[File]] | None = None
    ) -> None:
        """Make these tables, which are written, the ones of the snapshot, beside `kept` files.

        Raises RunError when another run has written owned tables of the snapshot meanwhile; they
        stay as they are then.
        """
        written = {table: list(files) for table, files in (kept or {}).items()}
        for table in tables:
            written.setdefault(table, []).extend(self._files_of(table))
        while True:
            version = self._next_version()
            now = self._manifest()
            if now.of(self.owned) != self.begun:
                raise too_late(self.place, self.snapshot)
            if self._put(now.replaced(max(version, now.version + 1), written, self.owned)):
                break
        put_in_place(self.place, self.path)

    def _manifest(self) -> Manifest:
        return _manifest_or_none(self.place, self.snapshot) or Manifest()

    def _files_of(self, table: str) -> Iterator[File]:
        files = self.place.files_in(str(self.folder(table)))
        if not files:
            raise RunError(
                f"{self.folder(table)} has no files after it was written: on a cluster that "
                "folder has to be one that all machines share"
            )
        return (written_file(Path(path), self.id) for path in files.values())

    def _next_version(self) -> int:
        """After that of each manifest, the broken ones among them."""
        names = [path.stem for path in self._manifests().glob("*.json")]
        return max((int(name) for name in names if name.isdecimal()), default=0) + 1

    def _manifests(self) -> Path:
        return self.place.path / HIDDEN / "manifests" / f"snapshot={self.snapshot}"

    def _put(self, manifest: Manifest) -> bool:
        """Whether it is the next manifest of the snapshot: no other run was faster."""
        folder = self._manifests()
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{manifest.version:06}.json"
        half = self.path / "manifest.json"
        with half.open("w", encoding="utf-8") as file:
            file.write(manifest.to_text())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(half, target)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            if target.exists():
                return False
            half.rename(target)
        for older in folder.glob("*.json"):
            if older.name < target.name:
                older.unlink(missing_ok=True)
        return True


def written_file(path: Path, run: str) -> File:
    """A file as it is now, for a manifest; it is on the disk when this returns."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
    rows = pq.read_metadata(path).num_rows
    return File(path.name, run, path.stat().st_size, rows, checksum(path))


def put_in_place(place: LocalPlace, run: Path) -> None:
    """Move what a run has written, and the manifests name, to where everybody looks for it."""
    for snapshot in _snapshots_of(run):
        manifest = _manifest_or_none(place, snapshot)
        if manifest is None:
            continue
        named = {table: _of_run(files, run.name) for table, files in manifest.tables.items()}
        for table, files in named.items():
            aside = Path(place.aside(run.name, table, snapshot))
            if not files or not aside.is_dir():
                continue
            if len(files) == len(manifest.tables[table]):
                _take_out(place, run, table, snapshot)
                target = Path(place.folder(table, snapshot))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(aside, target)
            else:
                _add(aside, Path(place.folder(table, snapshot)), files)
        if any(named.values()):
            for table in manifest.removed:
                _take_out(place, run, table, snapshot)


def _manifest_or_none(place: LocalPlace, snapshot: str) -> Manifest | None:
    """A broken manifest tells nothing, and is written over."""
    try:
        return place.manifest(snapshot)
    except UnreadableError:
        return None


def _of_run(files: Sequence[File], run: str) -> list[File]:
    return [file for file in files if file.run == run]


def _add(aside: Path, target: Path, files: Sequence[File]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        if (aside / file.name).exists():
            shutil.move(aside / file.name, target / file.name)


def _take_out(place: LocalPlace, run: Path, table: str, snapshot: str) -> None:
    """Move what was in the place of a table into the run's folder, which goes soon."""
    there = Path(place.folder(table, snapshot))
    if there.is_dir():
        away = run / REPLACED / table
        away.mkdir(parents=True, exist_ok=True)
        shutil.move(there, away / there.name)


def sweep(place: LocalPlace) -> None:
    """Put in place what runs that ended too early have committed, and remove all else of them."""
    for run in sorted((place.path / HIDDEN / "runs").glob("[!.]*")):
        with _locked(run) as is_over:
            if is_over:
                put_in_place(place, run)
                if _is_settled(place, run):
                    shutil.rmtree(run, ignore_errors=True)


@contextmanager
def _locked(run: Path) -> Iterator[bool]:
    """Whether the run is over, whose lock is held meanwhile."""
    try:
        lock = os.open(run, os.O_RDONLY)
    except OSError:  # another run was faster, or it isn't ours
        yield False
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except OSError:
        yield False
    finally:
        os.close(lock)


def _is_settled(place: LocalPlace, run: Path) -> bool:
    """Whether no manifest names a file that is still in the run's folder."""
    for snapshot in _snapshots_of(run):
        manifest = _manifest_or_none(place, snapshot) or Manifest()
        for table, files in manifest.tables.items():
            aside = Path(place.aside(run.name, table, snapshot))
            if any((aside / file.name).exists() for file in _of_run(files, run.name)):
                return False
    return True


def _snapshots_of(run: Path) -> list[str]:
    """The snapshots that a run has written tables of."""
    folders = run.glob("*/snapshot=*")
    return sorted({f.name.removeprefix("snapshot=") for f in folders if f.parts[-2] != REPLACED})


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
