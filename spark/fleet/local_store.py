"""The tables of a snapshot as Arrow has them, and as files of a store: no session needed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_type

from spark.errors import InputError
from spark.fleet.schemas import COUNTED_COLUMNS, STORE, TABLES, check_kind
from spark.fleet.store import snapshot_id
from spark.fleet.utf8 import spell
from spark.store import (
    ROWS_A_FILE,
    File,
    Folder,
    Run,
    TooLateError,
    check_writable,
    open_folder,
    writing,
)
from spark.text import list_of


@dataclass(frozen=True)
class SourceTables:
    """The tables of a snapshot by name, and what to know of them, a sentence each.

    `notes` tell what was assumed, what is missing, what contradicts; `left_out` what should be in
    the tables and isn't. Every source returns this, and any of them can be written to a store by
    `write_store`.
    """

    tables: Mapping[str, pa.Table]
    notes: Sequence[str] = ()
    left_out: Sequence[str] = ()


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
    nothing = pa.nulls(len(next(iter(columns.values()))))
    return pa.table({name: columns.get(name, nothing) for name in schema.names}, schema)


def store_to_write(out: str) -> Folder:
    """The folder, of this machine or an object store, that a path names as a store.

    InputError, before any work is done, where it can't be written or holds something else.
    """
    check_writable(out)
    place = open_folder(out) if ":" in out else Folder(out)
    check_kind(place, out, STORE)
    return place


def write_store(tables: Mapping[str, pa.Table], store: Path | Folder, snapshot: str) -> None:
    """Write one snapshot to `store`/TABLE/snapshot=`snapshot`/part-….parquet, or add to it.

    `snapshot` is a time in UTC like 20261121T060000Z. All tables are there, or none: a run that is
    cut short leaves the store as it was. A snapshot that is whole already keeps its files, and gets
    those of further clusters beside them, also where another run writes some at the same time.
    InputError if it has one of the clusters, if it isn't whole, or if its tables have other
    columns.
    """
    place = store if isinstance(store, Folder) else store_to_write(str(store))
    while True:
        try:
            _write(tables, place, snapshot_id(snapshot))
        except TooLateError:  # another run has added its clusters meanwhile: beside these
            continue
        return


def _write(tables: Mapping[str, pa.Table], place: Folder, snapshot: str) -> None:
    """Write or add to one snapshot; TooLateError where another run has written to it meanwhile."""
    with writing(place.root), Run(place, TABLES, snapshot) as run:
        try:
            kept = _present_files(tables, run, snapshot)
        except InputError:
            run.check_current()
            raise
        new = {name: table for name, table in tables.items() if len(table) or not kept}
        written = {name: _write_parts(table, run, name) for name, table in new.items()}
        run.commit({name: [*kept.get(name, ()), *written.get(name, ())] for name in kept | written})


def _present_files(
    tables: Mapping[str, pa.Table], run: Run, snapshot: str
) -> dict[str, Sequence[File]]:
    """The files that the snapshot has already, wherever the run that wrote them has them now.

    InputError unless these clusters can be added to them.
    """
    place = run.place.for_next_look()
    parts = {name: of for name in TABLES if (of := place.parts(name, snapshot))}
    try:
        if parts or any(place.has_folder(table, snapshot) for table in TABLES):
            _check_addable(tables, place, snapshot, {name: of.paths for name, of in parts.items()})
        before = run.begun[snapshot].tables
        return {
            name: (not of.notes and before.get(name))
            or run.adopt(name, snapshot, COUNTED_COLUMNS[name])
            for name, of in parts.items()
        }
    except FileNotFoundError:  # the run that wrote them has just put them in their place
        raise TooLateError(place, snapshot) from None


def _check_addable(
    tables: Mapping[str, pa.Table],
    place: Folder,
    snapshot: str,
    present: Mapping[str, Sequence[str]],
) -> None:
    """Raise InputError unless these clusters can be added to the snapshot."""
    if place.is_gone(snapshot, TABLES):
        raise InputError(f"snapshot {snapshot} is being removed: write it again in a moment")
    lacking = [name for name, table in TABLES.items() if table.required and name not in present]
    if lacking or place.being_written([snapshot]):
        raise InputError(
            f"{place.folder(min(present, default='members'), snapshot)} is there already: choose "
            "another snapshot id or remove that snapshot, which isn't whole"
        )
    for name, table in tables.items():
        for part in present.get(name, ()):
            _check_part(table, place, part, snapshot)


def _check_part(table: pa.Table, place: Folder, part: str, snapshot: str) -> None:
    """Raise InputError if a file has one of the table's clusters, or other columns."""
    try:
        with place.open(part) as file:
            columns = dict(plain_columns(file.schema_arrow))
            clusters = _clusters(file.read(["cluster"]))
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{part} can't be read: {error}") from None
    if twice := _clusters(table) & clusters:
        raise InputError(
            f"{part.rpartition('/')[0]} is there already: choose another snapshot id or remove "
            f"that snapshot, which has {list_of('cluster', twice)}"
        )
    if columns != dict(plain_columns(table.schema)):
        raise InputError(
            f"{part} has other columns than are written now: choose another id than {snapshot}, "
            "for a fleet is the newest snapshot of each cluster"
        )


def plain_columns(schema: pa.Schema) -> list[tuple[str, pa.DataType]]:
    """Names and types; writers call the elements of a list differently."""

    def plain(kind: pa.DataType) -> pa.DataType:
        return pa.list_(plain(kind.value_type)) if pa.types.is_list(kind) else kind

    return [(field.name, plain(field.type)) for field in schema]


def _clusters(table: pa.Table) -> set[str]:
    """The clusters of a table, as they are spelled for people."""
    names = table["cluster"].cast(pa.binary()).unique().to_pylist()
    return {spell(name) for name in names if name is not None}


def _write_parts(table: pa.Table, run: Run, name: str) -> list[File]:
    return [
        run.write(
            name, [table.slice(start, ROWS_A_FILE)], table.schema, COUNTED_COLUMNS[name], part
        )
        for part, start in enumerate(range(0, max(len(table), 1), ROWS_A_FILE))
    ]
