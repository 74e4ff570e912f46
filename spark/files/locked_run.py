"""What runs of this machine share: a lock by which they are known, and what dead ones left."""

import errno
import fcntl
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from spark.errors import RunError, UnreadableError
from spark.files.disk import sync_folder
from spark.files.local_store import LocalStore
from spark.files.manifest import HIDDEN, File, Manifest, new_run

REPLACED = "replaced"
"""Folder of a run with what it took out of its place."""

TRIES = 100
"""How often a run may lose its folder to another one before it is locked."""

REMOVING = "removing"
"""Folder of a run that names the snapshots that it removes, `snapshot=ID` each."""


class LockedRun:
    """A run that writes to a place, in a folder of its own.

    As a context manager it holds a lock, by which other runs know that it is alive, and leaves
    nothing behind of what wasn't committed. `done` are the snapshots whose new manifest is there:
    an error of the disk after that is a RunError which says so.
    """

    to_become = "written"

    def __init__(self, place: LocalStore, owned: Collection[str]) -> None:
        self.place, self.owned = place, owned
        self.done: list[str] = []
        self.made: list[Path] = []
        self.id = new_run()
        self.path = place.path / HIDDEN / "runs" / self.id

    def __enter__(self) -> Self:
        for table in self.owned:
            _check_writable(self.place.path / table)
        sweep(self.place)
        if not any(self._is_begun() for _ in range(TRIES)):
            raise RunError(f"{self.place.root} can't be written: folders in it vanish at once")
        for folder in self.made:
            sync_folder(folder.parent)
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
        if _is_settled(self.place, self.path):
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)
        for folder in (*reversed(self.made), self.path.parent):
            with suppress(OSError):  # it isn't empty
                folder.rmdir()
        if self.done and isinstance(error, OSError):
            named = ", ".join(self.done)
            raise RunError(
                f"{self.place.root} can't be written: {error.strerror or error}: {named} is "
                f"{self.to_become} all the same, and the next run that writes there finishes the "
                "rest"
            ) from None

    def put(self, snapshot: str, manifest: Manifest) -> Path | None:
        """Make this the next manifest of a snapshot, and tell where it is.

        None if another run was faster.
        """
        target = manifests_of(self.place, snapshot) / f"{manifest.version:06}.json"
        half = self.path / "manifest.json"
        with half.open("w", encoding="utf-8") as file:
            file.write(manifest.to_text())
            file.flush()
            os.fsync(file.fileno())
        if not _link(half, target):
            return None
        self.done.append(snapshot)
        sync_folder(target.parent)
        sync_folder(target.parent.parent)
        _forget_before(target)
        return target


@contextmanager
def moving(place: LocalStore) -> Iterator[None]:
    """One run at a time puts a manifest there and moves tables.

    What one adds to a table so isn't taken out by another that still knows an older manifest.
    """
    try:
        lock = os.open(place.path / HIDDEN, os.O_RDONLY)
    except FileNotFoundError:  # the last run there has just left, and with it all there was to move
        yield
        return
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _forget_before(manifest: Path) -> None:
    """Delete the manifests that another has replaced."""
    for older in manifest.parent.glob("*.json"):
        if older.name < manifest.name:
            older.unlink(missing_ok=True)


def manifests_of(place: LocalStore, snapshot: str) -> Path:
    """The folder of a snapshot's manifests."""
    return place.path / HIDDEN / "manifests" / f"snapshot={snapshot}"


def next_version(place: LocalStore, snapshot: str) -> int:
    """After that of each manifest, the broken ones among them."""
    names = [path.stem for path in manifests_of(place, snapshot).glob("*.json")]
    return max((int(name) for name in names if name.isdecimal()), default=0) + 1


def manifest_or_none(place: LocalStore, snapshot: str) -> Manifest | None:
    """A broken manifest tells nothing, and is written over."""
    try:
        return place.manifest(snapshot)
    except UnreadableError:
        return None


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


def put_in_place(place: LocalStore, run: Path) -> None:
    """Move what a run has written, and the manifests name, to where everybody looks for it."""
    for snapshot in _snapshots_of(run):
        manifest = manifest_or_none(place, snapshot)
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
                sync_folder(Path(place.folder(table, snapshot)))
            sync_folder(place.path / table)
            sync_folder(place.path)
        if any(named.values()):
            for table in manifest.removed:
                _take_out(place, run, table, snapshot)


def take_out_removed(place: LocalStore, run: Path, snapshot: str) -> None:
    """Move a snapshot that was removed, as its manifest says, into the run's folder.

    That manifest goes last: until then nobody takes what is left for a snapshot.
    """
    manifest = manifest_or_none(place, snapshot)
    if manifest is not None and not manifest.tables:
        for table in manifest.removed:
            _take_out(place, run, table, snapshot)
        last = manifests_of(place, snapshot) / f"{manifest.version:06}.json"
        _forget_before(last)
        last.unlink(missing_ok=True)
    with suppress(OSError):  # it isn't empty: another run writes the snapshot again
        manifests_of(place, snapshot).rmdir()
    with suppress(FileNotFoundError):
        (run / REMOVING / f"snapshot={snapshot}").rmdir()


def written_by_others(place: LocalStore) -> set[str]:
    """The snapshots of which a run that is alive has written something, or which it removes."""
    result: set[str] = set()
    for run in _runs(place):
        with _locked(run) as is_over:
            if not is_over:
                result |= _touched_by(run)
    return result


def _touched_by(run: Path) -> set[str]:
    """The snapshots that a run writes or removes, while it goes on with that."""
    while run.exists():
        with suppress(FileNotFoundError):  # it has put something in its place
            return {*_snapshots_of(run), *_being_removed(run)}
    return set()


def _being_removed(run: Path) -> list[str]:
    return sorted(path.name.removeprefix("snapshot=") for path in (run / REMOVING).glob("*"))


def _of_run(files: Sequence[File], run: str) -> list[File]:
    return [file for file in files if file.run == run]


def _add(aside: Path, target: Path, files: Sequence[File]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        if (aside / file.name).exists():
            shutil.move(aside / file.name, target / file.name)


def _take_out(place: LocalStore, run: Path, table: str, snapshot: str) -> None:
    """Move what was in the place of a table into the run's folder, which goes soon."""
    folder = Path(place.folder(table, snapshot))
    if folder.is_dir():
        away = run / REPLACED / table
        away.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another run was faster
            shutil.move(folder, away / folder.name)


def sweep(place: LocalStore) -> None:
    """Put in place what runs that ended too early have committed, and remove all else of them."""
    for run in _runs(place):
        with _locked(run) as is_over:
            if is_over:
                with moving(place):
                    put_in_place(place, run)
                    with suppress(OSError):  # what can't be removed now is tried by the next
                        for snapshot in _being_removed(run):
                            take_out_removed(place, run, snapshot)
                if _is_settled(place, run):
                    shutil.rmtree(run, ignore_errors=True)


def _runs(place: LocalStore) -> list[Path]:
    """The folders of runs, and the hidden ones of those that haven't locked theirs yet."""
    try:
        return sorted((place.path / HIDDEN / "runs").iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


@contextmanager
def _locked(run: Path) -> Iterator[bool]:
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


def _is_settled(place: LocalStore, run: Path) -> bool:
    """Whether nothing is left to do, and no manifest names a file in the run's folder."""
    if _being_removed(run):
        return False
    for snapshot in _snapshots_of(run):
        manifest = manifest_or_none(place, snapshot) or Manifest()
        for table, files in manifest.tables.items():
            aside = Path(place.aside(run.name, table, snapshot))
            if any((aside / file.name).exists() for file in _of_run(files, run.name)):
                return False
    return True


def _snapshots_of(run: Path) -> list[str]:
    """The snapshots that a run has written tables of."""
    folders, beside = run.glob("*/snapshot=*"), (REPLACED, REMOVING)
    return sorted({f.name.removeprefix("snapshot=") for f in folders if f.parts[-2] not in beside})


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
