"""What one run writes to a local folder, aside at first and then in its place, or removes there."""

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import pyarrow.parquet as pq

from spark.errors import RunError
from spark.files.direct_store import cells_of
from spark.files.disk import sync_folder
from spark.files.local_store import LocalStore, checksum
from spark.files.locked_run import (
    REMOVING,
    REPLACED,
    LockedRun,
    manifest_or_none,
    moving,
    next_version,
    put_in_place,
    take_out_removed,
)
from spark.files.manifest import (
    NOTHING,
    Columns,
    ColumnStatistics,
    File,
    Manifest,
    column_statistics,
)
from spark.files.table_store import TooLateError


class LocalRun(LockedRun):
    """Writes tables of one snapshot; of those that it owns it replaces all."""

    def __init__(self, place: LocalStore, snapshot: str, owned: Collection[str]) -> None:
        super().__init__(place, owned)
        self.snapshot = snapshot

    def folder(self, table: str) -> Path:
        """Where to write a table; the folder isn't there yet."""
        return Path(self.place.aside(self.id, table, self.snapshot))

    def __enter__(self) -> Self:
        super().__enter__()
        self.begun = self._manifest().of(self.owned)
        return self

    def commit(
        self,
        tables: Collection[str],
        kept: Mapping[str, Sequence[File]] | None = None,
        statistics: ColumnStatistics = NOTHING,
    ) -> None:
        """Make these tables, which are written, the ones of the snapshot, beside `kept` files.

        The manifest tells what is `tallied`. Raises TooLateError when another run has written owned
        tables of the snapshot meanwhile; they stay as they are then.
        """
        written = {table: list(files) for table, files in (kept or {}).items()}
        for table in tables:
            columns = statistics.get(table, ())
            written.setdefault(table, []).extend(self._files_of(table, columns))
            sync_folder(self.folder(table))
            sync_folder(self.folder(table).parent)
        sync_folder(self.path)
        with moving(self.place):
            self._put_next(written)
            put_in_place(self.place, self.path)

    def _put_next(self, written: Mapping[str, Sequence[File]]) -> None:
        while True:
            version = next_version(self.place, self.snapshot)
            now = self.check_current()
            version = max(version, now.version + 1)
            if self.put(self.snapshot, now.replaced(version, written, self.owned)):
                return

    def check_current(self) -> Manifest:
        """The manifest; TooLateError if another run has written owned tables meanwhile."""
        now = self._manifest()
        if now.of(self.owned) != self.begun:
            raise TooLateError(self.place, self.snapshot)
        return now

    def _manifest(self) -> Manifest:
        return manifest_or_none(self.place, self.snapshot) or Manifest()

    def _files_of(self, table: str, statistics: Collection[Columns]) -> Iterator[File]:
        files = self.place.files_in(str(self.folder(table)))
        if not files:
            raise RunError(
                f"{self.folder(table)} has no files after it was written: on a cluster that "
                "folder has to be one that all machines share"
            )
        return (written_file(Path(path), self.id, statistics) for path in files.values())


def written_file(path: Path, run: str, statistics: Collection[Columns] = ()) -> File:
    """A file as it is now, for a manifest; it is on the disk when this returns."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
    with pq.ParquetFile(path) as opened:
        rows = opened.metadata.num_rows
        cells = column_statistics({columns: cells_of(opened, columns) for columns in statistics})
    return File(path.name, run, path.stat().st_size, rows, checksum(path), cells)


class LocalRemoval(LockedRun):
    """Removes snapshots of a local folder, all of `owned` tables that they have.

    The snapshot's manifest says first that they are removed, which is one step: from then on no
    reader takes what is left for a snapshot. Then its folders are moved into the run's own, each as
    one step, and deleted there; the manifest goes last. Whoever writes to the folder next does what
    a run that was killed has left to do.
    """

    to_become = "removed"

    def remove(self, snapshot: str, seen: Manifest | None) -> bool:
        """Remove one; False if a run has written or removed it since `seen` was its manifest."""
        to_do = self.path / REMOVING / f"snapshot={snapshot}"
        to_do.mkdir(parents=True)
        with moving(self.place):
            version = next_version(self.place, snapshot)
            unchanged = self.place.manifest(snapshot) == seen
            if not (unchanged and self.put(snapshot, Manifest(version, {}, sorted(self.owned)))):
                to_do.rmdir()
                return False
            take_out_removed(self.place, self.path, snapshot)
        shutil.rmtree(self.path / REPLACED, ignore_errors=True)
        return True
