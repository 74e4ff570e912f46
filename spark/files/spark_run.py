"""What one run writes to a folder that only Spark can open."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession

from spark.errors import RunError, first_line
from spark.files.manifest import HIDDEN, File, Manifest, began, new_run
from spark.files.parts import LITERAL
from spark.files.spark_store import SparkStore
from spark.files.table_store import TooLateError

OVER = timedelta(days=1)
"""After so long nothing is taken for the work of a run that may still be alive."""


class SparkRun:
    """Writes tables of one snapshot; of those that it owns it replaces all.

    Spark renames and locks nothing for us. The tables stay where they were written, which the
    manifest tells; a copy of them comes to where everybody looks. Of two manifests that were
    written at the same time the one that was there first holds.
    """

    def __init__(self, place: SparkStore, snapshot: str, owned: Collection[str]) -> None:
        self.place, self.snapshot, self.owned = place, snapshot, owned
        self.id = new_run()
        self.committed = False

    @property
    def session(self) -> SparkSession:
        return self.place.session

    def folder(self, table: str) -> str:
        """Where to write a table; the folder isn't there yet."""
        return self.place.aside(self.id, table, self.snapshot)

    def __enter__(self) -> SparkRun:
        self.begun = self._manifest().of(self.owned)
        return self

    def __exit__(self, *_: object) -> None:
        if not self.committed:
            with suppress(Exception):  # the run has failed: that is what to tell of
                for table in self.owned:
                    self._clear(self.folder(table))

    def commit(self, tables: Collection[str]) -> None:
        """Make these tables, which are written, the ones of the snapshot.

        Raises RunError when another run has written owned tables of the snapshot meanwhile; they
        stay as they are then.
        """
        written = {table: self._files_of(table) for table in tables}
        now = self._manifest()
        mine = now.replaced(now.version + 1, written, self.owned)
        if now.of(self.owned) == self.begun:
            self._put(mine)
        if self._manifest().to_text() != mine.to_text():
            raise TooLateError(self.place, self.snapshot)
        self.committed = True
        try:
            self._copy_to_place(tables)
        except Exception as error:
            raise RunError(
                f"{self.place.root} can't be written: {first_line(error)}: {self.snapshot} is "
                "written all the same, but other programs don't see its new tables: write it again"
            ) from None

    def _copy_to_place(self, tables: Collection[str]) -> None:
        for table in tables:
            copy = self.session.read.options(**LITERAL).parquet(self.folder(table))
            copy.write.mode("overwrite").parquet(self.place.folder(table, self.snapshot))
        for table in set(self.owned).difference(tables):
            self._clear(self.place.folder(table, self.snapshot))
        self._sweep()

    def _manifest(self) -> Manifest:
        return self._without_cache().manifest(self.snapshot) or Manifest()

    def _without_cache(self) -> SparkStore:
        return SparkStore(self.session, self.place.root)

    def _put(self, manifest: Manifest) -> None:
        where = f"{self.place.root}/{HIDDEN}/manifests/snapshot={self.snapshot}"
        text = self.session.createDataFrame([(manifest.to_text(),)], "value string")
        text.coalesce(1).write.mode("append").text(where)

    def _files_of(self, table: str) -> list[File]:
        """Of a table that was written, from the files themselves."""
        folder = self.folder(table)
        rows = self.place.seen(folder)
        files = self.session.read.options(**LITERAL).format("binaryFile").load(folder)
        sizes = files.select("_metadata.file_name", "length").collect()
        return [
            File(size.file_name, self.id, size.length, rows[size.file_name].rows)
            if size.file_name in rows
            else File(size.file_name, self.id, size.length, 0)
            for size in sorted(sizes)
        ]

    def _clear(self, folder: str) -> None:
        """Leave nothing in a folder: what Spark writes over is removed."""
        nothing = self.session.createDataFrame([], "nothing int, never int").write.mode("overwrite")
        unmarked = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
        if self.place.files_in(folder):
            nothing.options(**unmarked).partitionBy("nothing").parquet(folder)

    def _sweep(self) -> None:
        """Clear what this run has replaced, and what others have left behind long ago."""
        now = self._without_cache()
        for run, table, snapshot in now.runs():
            manifest = now.manifest(snapshot) or Manifest()
            of_run = {file.run for file in manifest.tables.get(table, ())}
            replaced = any(file.run == run for file in self.begun.get(table, ()))
            if run not in of_run and (replaced or _is_over(run)):
                self._clear(self.place.aside(run, table, snapshot))


def _is_over(run: str) -> bool:
    try:
        return datetime.now(UTC) - began(run) > OVER
    except ValueError:  # nothing of ours
        return False
