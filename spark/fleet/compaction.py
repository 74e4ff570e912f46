"""Snapshots whose tables lie in more files than they need, and how these become few.

A table of a snapshot has a folder of its own, which other programs read: files of several snapshots
can't become one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from optimizer.figures import counted
from spark.errors import InputError, RunError, UnreadableError
from spark.files import (
    LocalRun,
    LocalStore,
    common_schema,
    fewest_files,
    merge,
    rows_in,
    sweep,
    writing,
    written_by_others,
)
from spark.fleet.schemas import COUNTED_COLUMNS, TABLES
from spark.fleet.store import BEING_WRITTEN, Stored

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Scattered:
    """Tables of one snapshot that are to be rewritten: `files` of `bytes` become `fewer`."""

    snapshot: str
    tables: tuple[str, ...]
    files: int
    fewer: int
    bytes: int


def sweep_store(place: LocalStore) -> None:
    """Remove what a run before left, whether or not there is something to compact now."""
    with writing(place.root):
        sweep(place)


def compacted_by_day(items: Sequence[Scattered], after: Mapping[str, int]) -> list[dict[str, Any]]:
    """A row a day for people, with the bytes `after` where snapshots were compacted."""
    rows = []
    for day, of_day in groupby(items, key=lambda item: item.snapshot[:8]):
        scattered = [*of_day]
        become = [after[item.snapshot] for item in scattered if item.snapshot in after]
        rows.append(
            {
                "day": day,
                "snapshots": len(scattered),
                "files": sum(item.files for item in scattered),
                "become": sum(item.fewer for item in scattered),
                "MB": sum(item.bytes for item in scattered) / MEGABYTE,
                "MB_after": sum(become) / MEGABYTE if become else None,
            }
        )
    return rows


def scattered_in(place: LocalStore) -> tuple[list[Scattered], dict[str, str]]:
    """The snapshots with more files than they need, oldest first; why others of them stay so.

    Snapshots that aren't whole, and those that are being written, stay as they are, and so do
    tables that another program has changed or given columns of its own.
    """
    seen = place.for_one_look()
    states = Stored.in_source(seen).states
    written = written_by_others(seen)
    result, left = [], {}
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
                result.append(_scattered(seen, snapshot, rest))
    return result, left


def _many(place: LocalStore, snapshot: str) -> dict[str, list[str]]:
    """The files of each table that has more of them than it needs."""
    result = {}
    for table in TABLES:
        parts = place.parts(table, snapshot, thoroughly=False)
        files = place.files_of(parts.paths) if parts and not parts.notes else []
        if len(files) > 1 and len(files) > _fewest(place, table, snapshot):
            result[table] = files
    return result


def _fewest(place: LocalStore, table: str, snapshot: str) -> int:
    statistics = place.tally([table], [snapshot])
    return fewest_files(sum(rows.total() for rows in statistics.values()))


def _odd(table: str, files: Sequence[str]) -> str | None:
    """Why the files of a table can't become one."""
    try:
        schema = common_schema(files)
    except UnreadableError as error:
        return str(error)
    if schema is None:
        return f"the files of {table} don't have the same columns"
    entries = {column.name for column in TABLES[table].columns}
    others = [name for name in schema.names if name not in entries]
    return f"{table} has columns of another program, {others[0]} first" if others else None


def _scattered(place: LocalStore, snapshot: str, many: Mapping[str, list[str]]) -> Scattered:
    return Scattered(
        snapshot,
        tuple(many),
        sum(map(len, many.values())),
        sum(_fewest(place, table, snapshot) for table in many),
        sum(place.size(file) for files in many.values() for file in files),
    )


def compact_each(
    place: LocalStore, items: Iterable[Scattered], left: dict[str, str]
) -> dict[str, int]:
    """Compact snapshots; the bytes of each afterwards. `left` gets the others, with the reason."""
    after = {}
    for item in items:
        try:
            after[item.snapshot] = compact(place, item)
        except (InputError, RunError) as error:
            left[item.snapshot] = str(error)
    return after


def fault_of(
    items: Sequence[Scattered], after: Mapping[str, int], left: Mapping[str, str]
) -> RunError | None:
    """What to raise where some of them weren't compacted."""
    failed = [left[item.snapshot] for item in items if item.snapshot not in after]
    if not failed:
        return None
    of = counted(len(items), "snapshot")
    return RunError(f"{len(failed)} of {of} could not be compacted: {failed[0]}")


def compact(place: LocalStore, item: Scattered) -> int:
    """Rewrite those tables of a snapshot; how many bytes they have then.

    Until all of them are written the ones before stay. UnreadableError where a file is broken,
    RunError where another run has written them meanwhile; they stay as they are then.
    """
    with writing(place.root), LocalRun(place, item.snapshot, item.tables) as run:
        for table in item.tables:
            _write_anew(place, run, table)
        run.commit(item.tables, statistics=COUNTED_COLUMNS)
    return sum(place.sizes(item.snapshot, item.tables))


def _write_anew(place: LocalStore, run: LocalRun, table: str) -> None:
    parts = place.parts(table, run.snapshot)
    files = place.files_of(parts.paths) if parts else []
    schema = common_schema(files) if files else None
    if schema is None:
        raise RunError(f"table {table} of snapshot {run.snapshot} has changed meanwhile")
    expected = rows_in(place.opened, files)
    rows = merge(place.opened, files, schema, run.folder(table), run.id)
    if rows != expected:
        raise RunError(f"{rows} of {expected} rows of {table} were written: nothing is changed")
    if (Path(place.folder(table, run.snapshot)) / "_SUCCESS").exists():  # others wait for it
        (run.folder(table) / "_SUCCESS").touch()
