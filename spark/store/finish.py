"""After a commit, or a death: files come to their place, and what nobody needs any more goes."""

import fcntl
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spark.errors import UnreadableError
from spark.store.disk import sync_folder
from spark.store.folder import Folder
from spark.store.listing import is_part
from spark.store.manifest import HIDDEN, Manifest

REMOVING = "removing"
"""Folder of a run that names the snapshots that it removes, `snapshot=ID` each."""


@contextmanager
def moving(place: Folder) -> Iterator[None]:
    """One run at a time puts a manifest there and moves files.

    What one adds to a table so isn't taken out by another that still knows an older manifest.
    """
    try:
        lock = os.open(place.path / HIDDEN, os.O_RDONLY) if place.is_local else None
    except FileNotFoundError:  # the last run there has just left, and with it all there was to move
        lock = None
    try:
        if lock is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        if lock is not None:
            os.close(lock)


def manifest_or_none(place: Folder, snapshot: str) -> Manifest | None:
    """A broken manifest tells nothing, and is written over."""
    try:
        return place.manifest(snapshot)
    except UnreadableError:
        return None


def delete(place: Folder, path: str) -> None:
    with suppress(FileNotFoundError):
        if place.system:
            place.system.delete_file(place.inner(path))
        else:
            Path(path).unlink()


def finish(place: Folder, snapshot: str) -> None:
    """Delete what the newest manifest replaces, and move what it names to where it belongs.

    Nothing that it names is ever deleted, and nothing at all where it can't be read.
    """
    place = place.for_next_look()
    manifest = manifest_or_none(place, snapshot)
    if manifest is None:
        with suppress(OSError):  # it isn't empty
            Path(place.manifests(snapshot)).rmdir()
    elif not manifest.tables and manifest.removed:
        _remove_all(place, snapshot, manifest)
    else:
        _put_in_place(place, snapshot, manifest)


def _remove_all(place: Folder, snapshot: str, manifest: Manifest) -> None:
    for table in manifest.removed:
        folder = place.folder(table, snapshot)
        if place.has_folder(table, snapshot):
            if place.system:
                place.system.delete_dir(place.inner(folder))
            else:
                shutil.rmtree(folder)
    names = place.entries(place.manifests(snapshot)) or ()
    for name in sorted(names):
        delete(place, f"{place.manifests(snapshot)}/{name}")
    if place.is_local:
        with suppress(OSError):  # it isn't empty: another run writes the snapshot again
            Path(place.manifests(snapshot)).rmdir()


def _put_in_place(place: Folder, snapshot: str, manifest: Manifest) -> None:
    lying_by_table = {
        table: place.entries(place.folder(table, snapshot)) or {}
        for table in sorted({*manifest.tables, *manifest.removed})
    }
    aside_by_table = {
        table: {
            name: path
            for name, path in place.lying_aside(manifest.names(table), table, snapshot).items()
            if name not in lying
        }
        for table, lying in lying_by_table.items()
    }
    for table, lying in lying_by_table.items():
        files, aside = manifest.names(table), aside_by_table[table]
        folder = place.folder(table, snapshot)
        if manifest.replaces is not None:
            void: Iterable[str] = manifest.replaces.get(table, ())
        elif aside or (any(aside_by_table.values()) and not files):
            void = filter(is_part, lying)  # earlier versions moved a folder as a whole
        else:
            void = ()
        gone = [name for name in void if name in lying and name not in files]
        for name in gone:
            delete(place, f"{folder}/{name}")
            if f".{name}.crc" in lying:
                delete(place, f"{folder}/.{name}.crc")
        if not place.is_local:
            continue
        for name, path in aside.items():
            Path(folder).mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # another run was faster
                Path(path).rename(f"{folder}/{name}")
        if not files and place.has_folder(table, snapshot):
            _remove_empty(folder, lying)
        if aside or gone:
            _sync(folder, f"{place.root}/{table}", place.root)


def _remove_empty(folder: str, lying: Collection[str]) -> None:
    """Remove the folder of a table that isn't there any more, unless it has others' files."""
    if "_SUCCESS" in lying:
        for name in ("_SUCCESS", "._SUCCESS.crc"):
            Path(folder, name).unlink(missing_ok=True)
    with suppress(OSError):
        Path(folder).rmdir()


def _sync(*folders: str) -> None:
    for folder in folders:
        with suppress(FileNotFoundError):
            sync_folder(Path(folder))


def sweep(place: Folder) -> None:
    """Put in place what runs that ended too early have committed, and remove all else of them."""
    for run in _runs(place):
        with _hold_lock(run) as ended:
            if ended:
                with moving(place):
                    for snapshot in _touched_by(run):
                        with suppress(OSError):  # what can't be done now is tried by the next
                            finish(place, snapshot)
                            (run / REMOVING / f"snapshot={snapshot}").rmdir()
                if is_settled(place, run):
                    shutil.rmtree(run, ignore_errors=True)


def written_by_others(place: Folder) -> set[str]:
    """The snapshots of which a run that is alive has written something, or which it removes."""
    snapshots: set[str] = set()
    for run in _runs(place):
        with _hold_lock(run) as ended:
            if not ended:
                snapshots |= _touched_by(run)
    return snapshots


def _touched_by(run: Path) -> set[str]:
    """The snapshots that a run writes or removes."""
    while run.exists():
        with suppress(FileNotFoundError):  # it has put something in its place
            return {folder.name.removeprefix("snapshot=") for folder in run.glob("*/snapshot=*")}
    return set()


def _runs(place: Folder) -> list[Path]:
    """The folders of runs, and the hidden ones of those that haven't locked theirs yet."""
    try:
        return sorted((place.path / HIDDEN / "runs").iterdir()) if place.is_local else []
    except (FileNotFoundError, NotADirectoryError):
        return []


@contextmanager
def _hold_lock(run: Path) -> Iterator[bool]:
    """Whether the run is over, whose lock is held meanwhile."""
    try:
        lock = os.open(run, os.O_RDONLY)
    except OSError:  # another run was faster, or it isn't ours
        yield False
        return
    try:
        yield _takes(lock)
    finally:
        os.close(lock)


def _takes(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_settled(place: Folder, run: Path) -> bool:
    """Whether nothing is left to do, and no manifest names a file in the run's folder."""
    if any((run / REMOVING).glob("*")):
        return False
    look = place.for_next_look()
    for snapshot in _touched_by(run):
        try:
            manifest = look.manifest(snapshot) or Manifest()
        except UnreadableError:
            return False
        for table, files in manifest.tables.items():
            own = {file.name: file for file in files if file.run == run.name}
            if look.lying_aside(own, table, snapshot):
                return False
    return True
