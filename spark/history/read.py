"""Many snapshots of a store at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import reduce

from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.files import SNAPSHOT, Stated, Where, source_of
from spark.fleet import (
    TABLES,
    clusters_in,
    conformed,
    faults_of,
    is_keyed,
    null_keys,
    skipped_sentence,
    time_of,
    unknown_columns,
    whole,
    within_reach,
)

Clusters = dict[str, list[str]]
"""The snapshots of each cluster, oldest first."""


def read_tables(
    session: SparkSession, store: Where, since: str | timedelta | None, until: str | None
) -> tuple[dict[str, DataFrame], Clusters, tuple[str, ...]]:
    """The tables, the snapshots of each cluster, and what was left out."""
    stored = whole(session, store)
    chosen = _in_time([one for one in stored.whole if not until or one <= until], since)
    if not chosen:
        raise InputError(
            f"store {store} has no whole snapshot in that time: the whole ones it has end with "
            f"{', '.join(stored.whole[-3:])}"
        )
    last = until or stored.whole[-1]
    within = (one for one in stored.unfinished if chosen[0] <= one <= last or not time_of(one))
    notes = [skipped_sentence(one, stored.unfinished[one]) for one in within]
    source = source_of(session, store)
    stated = {name: source.read_several(session, name, chosen) for name in TABLES}
    tables = {name: _table(name, some) for name, some in stated.items() if some}
    notes += dict.fromkeys(_notes(stated))
    bad = _with_null_keys(tables, stated)
    notes += [f"snapshot {one} is left out: it has null keys ({why})" for one, why in bad.items()]
    chosen = [one for one in chosen if one not in bad]
    if bad:
        tables = {name: rows.where(F.col(SNAPSHOT).isin(*chosen)) for name, rows in tables.items()}
    return tables, _clusters(session, store, chosen), tuple(notes)


def _in_time(snapshots: Sequence[str], since: str | timedelta | None) -> list[str]:
    """Those from `since` on."""
    if not snapshots or since is None:
        return [*snapshots]
    if isinstance(since, str):
        return [one for one in snapshots if one >= since]
    return within_reach(snapshots, since)


def _table(name: str, stated: Sequence[Stated]) -> DataFrame:
    """The rows of one table; InputError when columns are missing or mistyped in any snapshot."""
    faults = dict.fromkeys(fault for one in stated for fault in faults_of(name, one.rows.schema))
    faults.pop(f"table {name} lacks the column {SNAPSHOT}", None)
    if faults:
        raise InputError(f"snapshots can't be used: {'; '.join(faults)}")
    return reduce(DataFrame.unionByName, (conformed(name, one.rows) for one in stated))


def _notes(stated: Mapping[str, Sequence[Stated]]) -> Iterator[str]:
    for name, some in stated.items():
        for one in some:
            yield from unknown_columns(name, one.rows.drop(SNAPSHOT).schema)
            yield from one.notes


def _with_null_keys(
    tables: Mapping[str, DataFrame], stated: Mapping[str, Sequence[Stated]]
) -> dict[str, str]:
    """The snapshots with null keys, and where.

    Tables whose files say that there are none aren't looked at.
    """
    doubtful = [
        null_keys(name, rows)
        for name, rows in tables.items()
        if not all(is_keyed(name, one) for one in stated[name])
    ]
    if not doubtful:
        return {}
    found = reduce(DataFrame.unionByName, doubtful).distinct().collect()
    columns: dict[str, list[str]] = {}
    for row in sorted(found):
        columns.setdefault(row[SNAPSHOT], []).append(f"{row.table}.{row.column}")
    return {snapshot: ", ".join(some) for snapshot, some in columns.items()}


def _clusters(session: SparkSession, store: Where, snapshots: Sequence[str]) -> Clusters:
    found: Clusters = {}
    for snapshot, clusters in clusters_in(session, store, snapshots).items():
        for cluster in clusters:
            found.setdefault(cluster, []).append(snapshot)
    return {cluster: sorted(ids) for cluster, ids in sorted(found.items())}
