"""Tables with rows of many snapshots, written as each of these snapshots' tables."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.files.local_place import LocalPlace
from spark.files.local_run import LocalRun
from spark.files.places import place_of
from spark.files.source import SNAPSHOT
from spark.files.tables import WRITTEN, reaching, write_tables
from spark.files.where import CatalogSchema, Where


def write_by_snapshot(
    session: SparkSession,
    out: Where,
    tables: Mapping[str, DataFrame],
    snapshots: Mapping[str, Collection[str]],
) -> None:
    """Write tables with a column `snapshot` to `out`, a step for each snapshot, the last one last.

    `snapshots` has for each of them which of the tables replace what is there of it. Where a table
    has no row of it, nothing is written, unless it is there or this is the last one: then a file
    without rows. InputError and RunError as with `write_tables`.
    """
    if not isinstance(out, CatalogSchema):
        place = place_of(session, out)
        if isinstance(place, LocalPlace):
            with reaching(out):
                _write_locally(place, tables, snapshots)
            return
    for snapshot, names in snapshots.items():
        own = {name: tables[name].where(F.col(SNAPSHOT) == snapshot) for name in names}
        write_tables(session, out, snapshot, {n: rows.drop(SNAPSHOT) for n, rows in own.items()})


def _write_locally(
    place: LocalPlace, tables: Mapping[str, DataFrame], snapshots: Mapping[str, Collection[str]]
) -> None:
    """One job a table writes the rows of all snapshots aside, and each takes over its own."""
    *others, last = snapshots
    with LocalRun(place, last, tables) as run:
        for name, rows in tables.items():
            folder = run.path / name
            rows.write.options(**WRITTEN).partitionBy(SNAPSHOT).parquet(str(folder))
            (folder / "_SUCCESS").unlink(missing_ok=True)
            if not run.folder(name).is_dir():
                _write_nothing(rows, run.folder(name))
        for snapshot in others:
            _take_over(run, snapshot, {name: tables[name] for name in snapshots[snapshot]})
        run.commit(tables)


def _take_over(run: LocalRun, snapshot: str, tables: Mapping[str, DataFrame]) -> None:
    """Make what `run` has written of these tables those of another snapshot."""
    written = {name: Path(run.place.aside(run.id, name, snapshot)) for name in tables}
    taken = {
        name: folder
        for name, folder in written.items()
        if folder.is_dir() or run.place.files_in(run.place.folder(name, snapshot))
    }
    if not taken:
        return
    with LocalRun(run.place, snapshot, taken) as own:
        for name, folder in taken.items():
            if folder.is_dir():
                own.folder(name).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(folder, own.folder(name))
            else:
                _write_nothing(tables[name], own.folder(name))
        own.commit(taken)
    run.done.append(snapshot)


def _write_nothing(rows: DataFrame, folder: Path) -> None:
    """A file that has the columns alone."""
    none = rows.where(F.lit(False)).drop(SNAPSHOT)
    none.write.options(**WRITTEN).parquet(str(folder))
