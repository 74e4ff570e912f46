"""The tables of a snapshot as Arrow has them, and as files of a store: no session needed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import to_arrow_type

from spark.errors import InputError
from spark.fleet.schemas import TABLES

ROWS_A_FILE = 250_000
"""Small enough that a large table comes as several files, which Spark reads in parallel."""


SCHEMAS = {
    name: pa.schema(
        [
            pa.field(column.name, to_arrow_type(column.type), nullable=not column.required)
            for column in table.columns
        ]
    )
    for name, table in TABLES.items()
}
"""The tables of a store as Arrow's schemas: what is required is never null."""


def table_of(name: str, columns: Mapping[str, pa.Array | Sequence[object]]) -> pa.Table:
    """The table of that name; a column that isn't given is null throughout."""
    schema = SCHEMAS[name]
    rows = len(next(iter(columns.values())))
    arrays = [_column(columns.get(field.name), field.type, rows) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _column(values: pa.Array | Sequence[object] | None, kind: pa.DataType, rows: int) -> pa.Array:
    if values is None:
        return pa.nulls(rows, kind)
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def write_store(tables: Mapping[str, pa.Table], store: Path, snapshot: str) -> None:
    """Write one snapshot to `store`/TABLE/snapshot=`snapshot`/part-….parquet.

    `snapshot` is a time in UTC like 20261121T060000Z. The files are made in a hidden folder and
    moved when all are there, the required tables last: a run that is cut short leaves no snapshot
    that looks whole. InputError if the store has the snapshot already.
    """
    folders = {name: store / name / f"snapshot={snapshot}" for name in tables}
    for folder in folders.values():
        if folder.exists():
            raise InputError(
                f"{folder} is there already: choose another snapshot id or remove that snapshot"
            )
    store.mkdir(parents=True, exist_ok=True)
    hidden = Path(tempfile.mkdtemp(prefix=".writing-", dir=store))
    try:
        for name, table in tables.items():
            _write_parts(table, hidden / name)
        for name in sorted(tables, key=lambda name: TABLES[name].required):
            folders[name].parent.mkdir(exist_ok=True)
            (hidden / name).rename(folders[name])
    finally:
        shutil.rmtree(hidden)


def _write_parts(table: pa.Table, folder: Path) -> None:
    folder.mkdir()
    for part, start in enumerate(range(0, max(len(table), 1), ROWS_A_FILE)):
        pq.write_table(table.slice(start, ROWS_A_FILE), folder / f"part-{part:05d}.parquet")
