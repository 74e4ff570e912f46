"""DataFrames to files, or to tables of a catalog: of one snapshot, or of many at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError, RunError, first_line
from spark.files.catalog_tables import write_to_catalog
from spark.files.disk import writing
from spark.files.local_run import LocalRun
from spark.files.local_store import LocalStore
from spark.files.manifest import NOTHING, ColumnStatistics
from spark.files.source import SNAPSHOT, CatalogSchema, Where
from spark.files.table_stores import run_of, table_store_of

_NAMES = ("cluster", "group", "topic", "member_id", "previous_member_id")
"""Columns whose dictionaries outgrow their limit: looking each value up in one takes a third of the
time of writing. Sorted as they are, the compressor finds what repeats by itself."""

WRITTEN = {
    "parquet.page.write-checksum.enabled": "true",
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    **{f"parquet.enable.dictionary#{name}": "false" for name in _NAMES},
}
"""Options of a writer."""

_UNWRITABLE = re.compile(
    "ParentNotDirectory|FileAlreadyExists|Mkdirs failed|AccessControl|AccessDenied"
    "|Permission denied|UnsupportedFileSystem|UnknownHost"
)


def in_one_file(rows: DataFrame, *keys: str) -> DataFrame:
    """Rows that `write_tables` puts into one file, in the order of `keys`."""
    return rows.repartition(1).sortWithinPartitions(*keys)


def write_tables(
    session: SparkSession,
    out: Where,
    snapshot: str,
    tables: Mapping[str, DataFrame],
    owned: Collection[str] = (),
    statistics: ColumnStatistics = NOTHING,
) -> None:
    """Write tables of a snapshot to `out`, in place of those that are there.

    `owned` are further tables that are gone afterwards if they aren't among `tables`. Of local
    files the manifest tells what is `tallied`.

    In a folder that is one step: until all are written the ones before stay as they are, and after
    a run that fails as well. RunError when another run was faster. In a catalog it is one step a
    table (see `write_to_catalog`).

    InputError when `out` can't be written.
    """
    if isinstance(out, CatalogSchema):
        write_to_catalog(session, out, snapshot, tables, owned)
        return
    with reaching(out), run_of(session, out, snapshot, {*owned, *tables}) as run:
        for name, table in tables.items():
            table.write.options(**WRITTEN).parquet(str(run.folder(name)))
        if isinstance(run, LocalRun):
            run.commit(tables, statistics=statistics)
        else:
            run.commit(tables)


@contextmanager
def reaching(out: str) -> Iterator[None]:
    """InputError where what is written within fails since `out` can't be written."""
    try:
        with writing(out):
            yield
    except (InputError, RunError):
        raise
    except Exception as error:
        if _UNWRITABLE.search(str(error)):
            raise InputError(f"{out} can't be written: {first_line(error)}") from None
        raise


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
        place = table_store_of(session, out)
        if isinstance(place, LocalStore):
            with reaching(out):
                _write_locally(place, tables, snapshots)
            return
    for snapshot, names in snapshots.items():
        own = {name: tables[name].where(F.col(SNAPSHOT) == snapshot) for name in names}
        write_tables(session, out, snapshot, {n: rows.drop(SNAPSHOT) for n, rows in own.items()})


def _write_locally(
    place: LocalStore, tables: Mapping[str, DataFrame], snapshots: Mapping[str, Collection[str]]
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
