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
from spark.wording import named

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


LAST = ("groups", "members")
"""By these a fleet knows of a group: when they are moved, all else that tells of it is there."""


def write_store(tables: Mapping[str, pa.Table], store: Path, snapshot: str) -> None:
    """Write one snapshot to `store`/TABLE/snapshot=`snapshot`/part-….parquet, or add to it.

    `snapshot` is a time in UTC like 20261121T060000Z. The files are made in a hidden folder and
    moved when all are there, the required tables last: a run that is cut short leaves no snapshot
    that looks whole. A snapshot that is whole already keeps its files, and gets those of further
    clusters beside them. InputError if it has one of the clusters, if it isn't whole, or if its
    tables have other columns.
    """
    folders = {name: store / name / f"snapshot={snapshot}" for name in tables}
    if there := [folder for folder in folders.values() if folder.exists()]:
        _check_addable(tables, store, snapshot, there)
    store.mkdir(parents=True, exist_ok=True)
    hidden = Path(tempfile.mkdtemp(prefix=".writing-", dir=store))
    try:
        for name, table in tables.items():
            if len(table) or not there:
                _write_parts(table, hidden / name)
        if there:
            _add_parts(hidden, folders)
        else:
            for name in sorted(tables, key=lambda name: TABLES[name].required):
                folders[name].parent.mkdir(exist_ok=True)
                (hidden / name).rename(folders[name])
    finally:
        shutil.rmtree(hidden)


def _check_addable(
    tables: Mapping[str, pa.Table], store: Path, snapshot: str, there: Sequence[Path]
) -> None:
    """Raise InputError unless these clusters can be added to the snapshot."""
    found = {
        name: sorted((store / name / f"snapshot={snapshot}").glob("*.parquet")) for name in TABLES
    }
    lacking = [name for name, table in TABLES.items() if table.required and not found[name]]
    being_written = any((folder / "_temporary").exists() for folder in there)
    if lacking or being_written:
        raise InputError(
            f"{there[0]} is there already: choose another snapshot id or remove that snapshot, "
            "which isn't whole"
        )
    for name, table in tables.items():
        for part in found[name]:
            _check_part(table, part, snapshot)


def _check_part(table: pa.Table, part: Path, snapshot: str) -> None:
    """Raise InputError if a file has one of the table's clusters, or other columns."""
    try:
        columns = _columns(pq.read_schema(part))
        clusters = pq.ParquetFile(part).read(["cluster"])["cluster"].unique().to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{part} can't be read: {error}") from None
    if twice := sorted({*table["cluster"].unique().to_pylist()}.intersection(clusters)):
        raise InputError(
            f"{part.parent} is there already: choose another snapshot id or remove that snapshot, "
            f"which has {named('cluster', twice)}"
        )
    if columns != _columns(table.schema):
        raise InputError(
            f"{part} has other columns than are written now: choose another id than {snapshot}, "
            "for a fleet is the newest snapshot of each cluster"
        )


def _columns(schema: pa.Schema) -> dict[str, pa.DataType]:
    """Types by name; writers call the elements of a list differently."""

    def plain(kind: pa.DataType) -> pa.DataType:
        return pa.list_(plain(kind.value_type)) if pa.types.is_list(kind) else kind

    return {field.name: plain(field.type) for field in schema}


def _add_parts(hidden: Path, folders: Mapping[str, Path]) -> None:
    """Move files into the folders of a snapshot; none of them stays if one can't be moved."""
    moved: list[Path] = []
    names = [*(name for name in folders if name not in LAST), *(n for n in LAST if n in folders)]
    try:
        for name in names:
            for part in sorted((hidden / name).glob("*")):
                folders[name].mkdir(parents=True, exist_ok=True)
                target = folders[name] / f"{part.stem}-{hidden.name.lstrip('.')}.parquet"
                moved.append(part.rename(target))
    except OSError:
        for part in moved:
            part.unlink()
        raise


def _write_parts(table: pa.Table, folder: Path) -> None:
    folder.mkdir()
    for part, start in enumerate(range(0, max(len(table), 1), ROWS_A_FILE)):
        pq.write_table(table.slice(start, ROWS_A_FILE), folder / f"part-{part:05d}.parquet")
