"""Snapshots whose tables lie in more files than they need, and how these become few.

A table of a snapshot has a folder of its own, which other programs read: files of several snapshots
can't become one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from optimizer.figures import plural
from spark.errors import InputError, RunError, UnreadableError, first_line
from spark.fleet.local_store import plain_columns
from spark.fleet.schemas import COUNTED_COLUMNS, TABLES
from spark.fleet.store import BEING_WRITTEN, Stored
from spark.store import ROWS_A_FILE, File, Folder, Run, sweep, writing, written_by_others

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Scattered:
    """Tables of one snapshot that are to be rewritten: `files` of `bytes` become `fewer`."""

    snapshot: str
    tables: tuple[str, ...]
    files: int
    fewer: int
    bytes: int


def sweep_store(place: Folder) -> None:
    """Remove what a run before left, whether or not there is something to compact now."""
    with writing(place.root):
        sweep(place)


def compacted_by_day(
    snapshots: Sequence[Scattered], after: Mapping[str, int]
) -> list[dict[str, Any]]:
    """A row a day for people, with the bytes `after` where snapshots were compacted."""
    rows = []
    for day, of_day in groupby(snapshots, key=lambda work: work.snapshot[:8]):
        of_it = [*of_day]
        become = [after[work.snapshot] for work in of_it if work.snapshot in after]
        rows.append(
            {
                "day": day,
                "snapshots": len(of_it),
                "files": sum(work.files for work in of_it),
                "become": sum(work.fewer for work in of_it),
                "MB": sum(work.bytes for work in of_it) / MEGABYTE,
                "MB_after": sum(become) / MEGABYTE if become else None,
            }
        )
    return rows


def compaction_in_words(snapshots: Sequence[Scattered], after: Mapping[str, int]) -> str:
    """Files that can become fewer, or are fewer now, as `after` has them."""
    if not snapshots:
        return "No snapshot has more files than it needs."
    done = [work for work in snapshots if work.snapshot in after] if after else snapshots
    files, fewer = sum(work.files for work in done), sum(work.fewer for work in done)
    become = f"are {fewer:,} now" if after else f"can become {fewer:,}"
    return f"{plural(files, 'file')} of {plural(len(done), 'snapshot')} {become}."


def scattered_in(place: Folder) -> tuple[list[Scattered], dict[str, str]]:
    """The snapshots with more files than they need, oldest first; why others of them stay so.

    Snapshots that aren't whole, and those that are being written, stay as they are, and so do
    tables that another program has changed or given columns of its own.
    """
    seen = place.for_one_look()
    states = Stored.in_source(seen).states
    written = written_by_others(seen)
    scattered, left = [], {}
    for snapshot, unfinished in states.items():
        why = BEING_WRITTEN if snapshot in written else unfinished
        many = {} if unfinished else _many(seen, snapshot)
        if why and (many or unfinished):
            left[snapshot] = why
        elif many:
            odd = {table: text for table, files in many.items() if (text := _odd(table, files))}
            if odd:
                left[snapshot] = "; ".join(odd.values())
            if rest := {table: files for table, files in many.items() if table not in odd}:
                scattered.append(_work_on(seen, snapshot, rest))
    return scattered, left


def _many(place: Folder, snapshot: str) -> dict[str, Sequence[str]]:
    """The files of each table that has more of them than it needs."""
    parts_by_table = {table: place.parts(table, snapshot, thoroughly=False) for table in TABLES}
    return {
        table: parts.paths
        for table, parts in parts_by_table.items()
        if parts and not parts.notes and len(parts.paths) > 1
        if len(parts.paths) > _fewest(place, table, snapshot)
    }


def _fewest(place: Folder, table: str, snapshot: str) -> int:
    return max(1, -(-_rows(place, table, snapshot) // ROWS_A_FILE))


def _rows(place: Folder, table: str, snapshot: str) -> int:
    return sum(rows.total() for rows in place.tally([table], [snapshot]).values())


def _odd(table: str, files: Sequence[str]) -> str | None:
    """Why the files of a table can't become one."""
    try:
        schema = common_schema(files)
    except UnreadableError as error:
        return str(error)
    if schema is None:
        return f"the files of {table} don't have the same columns"
    own = {column.name for column in TABLES[table].columns}
    others = [name for name in schema.names if name not in own]
    return f"{table} has columns of another program, {others[0]} first" if others else None


def _work_on(place: Folder, snapshot: str, many: Mapping[str, Sequence[str]]) -> Scattered:
    return Scattered(
        snapshot,
        tuple(many),
        sum(map(len, many.values())),
        sum(_fewest(place, table, snapshot) for table in many),
        sum(place.size(file) for files in many.values() for file in files),
    )


def compact_each(
    place: Folder, snapshots: Iterable[Scattered], left: dict[str, str]
) -> dict[str, int]:
    """Compact snapshots; the bytes of each afterwards. `left` gets the others, with the reason."""
    after = {}
    for work in snapshots:
        try:
            after[work.snapshot] = compact(place, work)
        except (InputError, RunError) as error:
            left[work.snapshot] = str(error)
    return after


def fault_of(
    snapshots: Sequence[Scattered], after: Mapping[str, int], left: Mapping[str, str]
) -> RunError | None:
    """The error to raise where some of them weren't compacted."""
    failed = [left[work.snapshot] for work in snapshots if work.snapshot not in after]
    if not failed:
        return None
    of = plural(len(snapshots), "snapshot")
    return RunError(f"{len(failed)} of {of} could not be compacted: {failed[0]}")


def compact(place: Folder, work: Scattered) -> int:
    """Rewrite those tables of a snapshot; how many bytes they have then.

    Until all of them are written the ones before stay. UnreadableError where a file is broken,
    RunError where another run has written them meanwhile; they stay as they are then.
    """
    with writing(place.root), Run(place, work.tables, work.snapshot) as run:
        run.commit({table: _write_anew(place, run, table) for table in work.tables})
    return sum(place.sizes(work.snapshot, work.tables))


def _write_anew(place: Folder, run: Run, table: str) -> list[File]:
    (snapshot,) = run.snapshots
    parts = place.parts(table, snapshot)
    schema = common_schema(parts.paths) if parts else None
    if parts is None or schema is None:
        raise RunError(f"table {table} of snapshot {snapshot} has changed meanwhile")
    files = [
        run.write(table, [rows], schema, COUNTED_COLUMNS[table], part)
        for part, rows in enumerate(_in_parts(place, table, parts.paths, schema))
    ]
    expected, rows = _rows(place, table, snapshot), sum(file.rows for file in files)
    if rows != expected:
        raise RunError(f"{rows} of {expected} rows of {table} were written: nothing is changed")
    return files


def common_schema(paths: Sequence[str]) -> pa.Schema | None:
    """The columns of all these files; None if they don't have the same, in the same order.

    What one of them says that is never null may be null in another. UnreadableError if one is
    broken or gone.
    """
    schemas = []
    for path in paths:
        try:
            schemas.append(pq.read_schema(path))
        except (OSError, pa.ArrowException) as error:
            raise UnreadableError(f"{path} can't be read: {first_line(error)}") from None
    first = schemas[0]
    if any(plain_columns(schema) != plain_columns(first) for schema in schemas):
        return None
    fields = [
        field.with_nullable(any(schema.field(at).nullable for schema in schemas))
        for at, field in enumerate(first)
    ]
    text = first.metadata if all(schema.metadata == first.metadata for schema in schemas) else None
    return pa.schema(fields, text)


def _in_parts(
    place: Folder, table: str, paths: Sequence[str], schema: pa.Schema
) -> Iterator[pa.Table]:
    """The rows as tables of `ROWS_A_FILE`, the last of which may have fewer, or none."""
    held = schema.empty_table()
    for path in paths:
        for rows in place.rows(table, path, schema.names, {}):
            held = pa.concat_tables([held, rows.cast(schema)])
            while len(held) > ROWS_A_FILE:
                yield held.slice(0, ROWS_A_FILE).combine_chunks()
                held = held.slice(ROWS_A_FILE)
    yield held.combine_chunks()
