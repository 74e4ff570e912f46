"""DataFrames to files, or to tables of a catalog."""

import errno
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain, groupby
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from spark.errors import InputError, RunError
from spark.store.catalog import write_to_catalog
from spark.store.commit import Run
from spark.store.disk import writing
from spark.store.manifest import NOTHING, Columns, ColumnStatistics, File, file_of
from spark.store.opening import folder_of
from spark.store.parquet import ROWS_A_FILE, write_file
from spark.store.source import SNAPSHOT, CatalogSchema, Where

Batches = Iterator[pa.RecordBatch]

_UNWRITABLE = re.compile(
    r"Permission denied: '[^']*'|Not a directory: '[^']*'|Read-only file system: '[^']*'"
    r"|AccessDenied|UnknownHost"
)

_FULL = "No space left on device"


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

    `owned` are further tables that are gone afterwards if they aren't among `tables`. Of files the
    manifest tells what is in `statistics`.

    In a folder that is one step: until all are written the ones before stay as they are, and after
    a run that fails as well. RunError when another run was faster. In a catalog it is one step a
    table (see `write_to_catalog`).

    InputError when `out` can't be written.
    """
    if isinstance(out, CatalogSchema):
        write_to_catalog(session, out, snapshot, tables, owned)
        return
    with reaching(out), Run(folder_of(session, out), {*owned, *tables}, snapshot) as run:
        run.commit(
            {
                name: _write_files(rows, run, name, statistics.get(name, ())).get(snapshot)
                or [_without_rows(rows, run, name, snapshot)]
                for name, rows in tables.items()
            }
        )


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
    if isinstance(out, CatalogSchema):
        for snapshot, names in snapshots.items():
            own = {name: tables[name].where(F.col(SNAPSHOT) == snapshot) for name in names}
            dropped = {name: rows.drop(SNAPSHOT) for name, rows in own.items()}
            write_tables(session, out, snapshot, dropped)
        return
    *_, last = snapshots
    with reaching(out), Run(folder_of(session, out), tables, *snapshots) as run:
        written = {name: _write_files(rows, run, name) for name, rows in tables.items()}
        for snapshot, names in snapshots.items():
            own_files = {
                name: written[name].get(snapshot)
                or [_without_rows(tables[name], run, name, snapshot)]
                for name in (tables if snapshot == last else names)
                if snapshot in written[name] or snapshot == last or run.seen[snapshot][name]
            }
            if own_files:
                run.commit(own_files, snapshot, own_files)


def _write_files(
    rows: DataFrame, run: Run, table: str, statistics: Collection[Columns] = ()
) -> dict[str, list[File]]:
    """Have workers write the rows of each snapshot to files of its own; the files of each."""
    first, name, system = run.snapshots[0], run.id, run.place.system
    base = run.place.inner(run.folder(table, first)).removesuffix(first)
    only = None if SNAPSHOT in rows.columns else first

    def write(batches: Batches) -> Batches:
        task = TaskContext.get()
        assert task is not None
        at = f"{task.partitionId():05}-{task.attemptNumber()}"
        for number, (snapshot, pieces) in enumerate(groupby(_pieces(batches, only), itemgetter(0))):
            tables = _row_groups(piece for _, piece in pieces)
            beginning = next(tables)
            path = f"{base}{snapshot}/part-{at}-{number:05}-{name}.parquet"
            every = chain([beginning], tables)
            file = write_file(path, name, every, beginning.schema, statistics, system)
            texts = {"of": [snapshot], "file": [json.dumps(asdict(file))]}
            yield pa.RecordBatch.from_pydict(texts)

    written: dict[str, list[File]] = {}
    for row in rows.mapInArrow(write, "of string, file string").collect():
        written.setdefault(row.of, []).append(file_of(**json.loads(row.file)))
    return {snapshot: sorted(files, key=lambda f: f.name) for snapshot, files in written.items()}


def _pieces(batches: Batches, only: str | None) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Rows that follow each other and are of one snapshot, and its id; rows have no such column."""
    for batch in batches:
        if only is not None:
            if batch.num_rows:
                yield only, batch
            continue
        runs = pc.run_end_encode(batch.column(SNAPSHOT))
        start = 0
        for end, snapshot in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
            yield snapshot, batch.slice(start, end - start).drop_columns([SNAPSHOT])
            start = end


def _row_groups(pieces: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The rows as tables of at least `ROWS_A_FILE`, but for the last one."""
    held: list[pa.RecordBatch] = []
    for piece in pieces:
        held.append(piece)
        if sum(batch.num_rows for batch in held) >= ROWS_A_FILE:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _without_rows(rows: DataFrame, run: Run, table: str, snapshot: str) -> File:
    """A file that has the columns alone."""
    columns = StructType([field for field in rows.schema if field.name != SNAPSHOT])
    schema = to_arrow_schema(columns)
    return run.write(table, [schema.empty_table()], schema, snapshot=snapshot)


@contextmanager
def reaching(out: str) -> Iterator[None]:
    """InputError where what is written within fails since `out` can't be written."""
    with writing(out):
        try:
            yield
        except (InputError, RunError, OSError):
            raise
        except Exception as error:  # of a worker, in Java's and Python's words
            if _FULL in str(error):
                raise OSError(errno.ENOSPC, _FULL) from None
            if refused := _UNWRITABLE.search(str(error)):
                raise InputError(f"{out} can't be written: {refused[0]}") from None
            raise
