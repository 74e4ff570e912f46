"""Many snapshots of a store at once."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import reduce

from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.fleet import (
    TABLES,
    clusters_in,
    conform_to,
    faults_of,
    is_keyed,
    null_keys,
    skipped_sentence,
    snapshots_by_cluster,
    time_of,
    unknown_columns,
    whole,
    within_reach,
)
from spark.store import SNAPSHOT, Folder, StoredTable, Where, source_of

Clusters = dict[str, list[str]]
"""The snapshots of each cluster, oldest first."""


def read_tables(
    session: SparkSession, store: Where, since: str | timedelta | None, until: str | None
) -> tuple[dict[str, DataFrame], Clusters, tuple[str, ...]]:
    """The tables, the snapshots of each cluster, and what was left out."""
    source = source_of(session, store).for_one_look()
    opener = source if isinstance(source, Folder) else session
    stored = whole(opener, store)
    names = _in_time([id_ for id_ in stored.whole if not until or id_ <= until], since)
    if not names:
        raise InputError(
            f"store {store} has no whole snapshot in that time: the whole ones it has end with "
            f"{', '.join(stored.whole[-3:])}"
        )
    last = until or stored.whole[-1]
    in_range = (text for text in stored.unfinished if names[0] <= text <= last or not time_of(text))
    notes = [skipped_sentence(snapshot, stored.unfinished[snapshot]) for snapshot in in_range]
    stored_tables = {name: source.read_several(session, name, names) for name in TABLES}
    tables = {name: _table(name, parts) for name, parts in stored_tables.items() if parts}
    notes += dict.fromkeys(_notes(stored_tables))
    bad = _with_null_keys(tables, stored_tables)
    notes += [
        f"snapshot {snapshot} is left out: it has null keys ({why})"
        for snapshot, why in bad.items()
    ]
    names = [text for text in names if text not in bad]
    if bad:
        tables = {name: rows.where(F.col(SNAPSHOT).isin(*names)) for name, rows in tables.items()}
    clusters = snapshots_by_cluster(clusters_in(opener, store, sorted(names)))
    return tables, clusters, tuple(notes)


def _in_time(snapshots: Sequence[str], since: str | timedelta | None) -> list[str]:
    """The snapshots from `since` on."""
    if not snapshots or since is None:
        return [*snapshots]
    if isinstance(since, str):
        return [snapshot for snapshot in snapshots if snapshot >= since]
    return within_reach(snapshots, since)


def _table(name: str, parts: Sequence[StoredTable]) -> DataFrame:
    """The rows of one table; InputError when columns are missing or mistyped in any snapshot."""
    faults = dict.fromkeys(fault for part in parts for fault in faults_of(name, part.rows.schema))
    faults.pop(f"table {name} lacks the column {SNAPSHOT}", None)
    if faults:
        raise InputError(f"snapshots can't be used: {'; '.join(faults)}")
    return reduce(DataFrame.unionByName, (conform_to(name, part.rows) for part in parts))


def _notes(stored_tables: Mapping[str, Sequence[StoredTable]]) -> Iterator[str]:
    for name, parts in stored_tables.items():
        for part in parts:
            yield from unknown_columns(name, part.rows.drop(SNAPSHOT).schema)
            yield from part.notes


def _with_null_keys(
    tables: Mapping[str, DataFrame], stored_tables: Mapping[str, Sequence[StoredTable]]
) -> dict[str, str]:
    """The snapshots with null keys, and where.

    Tables whose files say that there are none aren't examined.
    """
    doubtful = [
        null_keys(name, rows)
        for name, rows in tables.items()
        if not all(
            is_keyed(name, part.rows.schema, part.without_nulls) for part in stored_tables[name]
        )
    ]
    if not doubtful:
        return {}
    bad_rows = reduce(DataFrame.unionByName, doubtful).distinct().collect()
    columns: dict[str, list[str]] = {}
    for row in sorted(bad_rows):
        columns.setdefault(row[SNAPSHOT], []).append(f"{row.table}.{row.column}")
    return {snapshot: ", ".join(column) for snapshot, column in columns.items()}
