"""Tables of many snapshots at once, each snapshot's rows written as its own."""

import shutil
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from spark.files.local_run import LocalRun
from spark.files.local_store import LocalStore
from spark.files.source import SNAPSHOT, CatalogSchema, Where
from spark.files.table_stores import table_store_of
from spark.files.tables import NAMES, reaching, write_tables

Batches = Iterator[pa.RecordBatch]


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
            _write_aside(rows, run.path / name, run.id)
            if not run.folder(name).is_dir():
                _write_nothing(rows, run, name)
        for snapshot in others:
            _take_over(run, snapshot, {name: tables[name] for name in snapshots[snapshot]})
        run.commit(tables)


def _write_aside(rows: DataFrame, folder: Path, run: str) -> None:
    """Write the rows of each snapshot to a folder of its own.

    Workers do: Spark's writer starts three processes for each file, as Hadoop changes the mode of
    what it makes by `chmod`.
    """

    def write(batches: Batches) -> Batches:
        task = TaskContext.get()
        assert task is not None
        for number, (snapshot, table) in enumerate(_tables_of(batches)):
            own = folder / f"{SNAPSHOT}={snapshot}"
            own.mkdir(parents=True, exist_ok=True)
            _write_file(table, own, f"part-{task.partitionId():05}-{number:05}-{run}.parquet")
        yield from ()

    rows.mapInArrow(write, "nothing int").collect()


def _tables_of(batches: Batches) -> Iterator[tuple[str, pa.Table]]:
    """Rows that follow each other and are of one snapshot, which they don't say any more."""
    for snapshot, parts in groupby(_runs(batches), key=itemgetter(0)):
        yield snapshot, pa.Table.from_batches([part for _, part in parts]).drop_columns([SNAPSHOT])


def _runs(batches: Batches) -> Iterator[tuple[str, pa.RecordBatch]]:
    for batch in batches:
        runs = pc.run_end_encode(batch.column(SNAPSHOT))
        start = 0
        for end, snapshot in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
            yield snapshot, batch.slice(start, end - start)
            start = end


def _write_file(table: pa.Table, folder: Path, name: str) -> None:
    """Write a file that is there as a whole or not at all: a task may be tried again."""
    half = folder / f".{name}.half"
    pq.write_table(
        table,
        half,
        compression="zstd",
        compression_level=1,
        use_dictionary=[column for column in table.column_names if column not in NAMES],
        write_page_checksum=True,
    )
    half.replace(folder / name)


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
                _write_nothing(tables[name], own, name)
        own.commit(taken)
    run.done.append(snapshot)


def _write_nothing(rows: DataFrame, run: LocalRun, table: str) -> None:
    """A file that has the columns alone."""
    columns = [field for field in rows.schema if field.name != SNAPSHOT]
    folder = run.folder(table)
    folder.mkdir(parents=True)
    none = to_arrow_schema(StructType(columns)).empty_table()
    _write_file(none, folder, f"part-00000-{run.id}.parquet")
