"""Rows of a fleet, by Spark or from files alike, and what a name that it doesn't have may mean."""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import functions as F

from optimizer.figures import did_you_mean
from spark.fleet.fleet_files import FleetFiles
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.utf8 import is_named, names_wanted, spell
from spark.patterns import matches
from spark.store import NULL, codes_of
from spark.text import list_of

Fleet = FleetSnapshot | FleetFiles


def plain_rows(
    fleet: Fleet, table: str, columns: Sequence[str], cluster: str, group: str | None = None
) -> Iterator[Any]:
    """Rows of a table of a cluster, or of one group, as tuples; none of a table that it lacks."""
    if isinstance(fleet, FleetFiles):
        wanted = {} if group is None else {"group": names_wanted([group])}
        rows = fleet.rows(table, columns, cluster, **wanted)
        yield from zip(*(_plain(rows[name]) for name in columns), strict=True)
    elif table in fleet.tables:
        selected = fleet.tables[table].where(is_named("cluster", [cluster]))
        if group is not None:
            selected = selected.where(is_named("group", [group]))
        yield from map(tuple, selected.select(*columns).collect())


def _plain(column: Any) -> list[Any]:
    """A column of `FleetFiles.rows` as texts, numbers, lists and None."""
    if isinstance(column, list):
        return [
            [spell(x) if isinstance(x, bytes) else x for x in cell]
            if isinstance(cell, list)
            else cell
            for cell in column
        ]
    if hasattr(column, "to_pylist"):
        return [None if cell is None else spell(cell) for cell in column.to_pylist()]
    return [None if cell == NULL else cell for cell in column.tolist()]


NEAREST = 5
"""Names that Spark brings, of which the nearest is proposed."""

TABLE_OF = {"group": "subscriptions", "topic": "partitions"}


def _names(fleet: FleetFiles, kind: str, cluster: str | None) -> list[str]:
    names = codes_of(fleet.rows(TABLE_OF[kind], (kind,), cluster)[kind])[1]
    return [spell(name) for name in names if name is not None]


def groups_like(fleet: Fleet, pattern: str, cluster: str | None) -> str:
    """`3 groups (a, b, c)`: those that match a pattern."""
    if isinstance(fleet, FleetFiles):
        groups = _names(fleet, "group", cluster)
        return list_of("group", (group for group in groups if matches(pattern, group)))
    rows = fleet.matching(cluster, pattern).tables["subscriptions"].select("group").distinct()
    return list_of("group", (row.group for row in rows.collect()))


def near_miss(fleet: Fleet, kind: str, name: str, cluster: str | None = None) -> str:
    """`; did you mean orders?`: the group or topic (`kind`) of nearly that name, if any."""
    if isinstance(fleet, FleetFiles):
        return did_you_mean(name, _names(fleet, kind, cluster))
    rows = fleet.tables[TABLE_OF[kind]]
    if cluster is not None:
        rows = rows.where(is_named("cluster", [cluster]))
    distance = F.levenshtein(F.col(kind), F.lit(name))
    nearest = rows.select(kind).distinct().orderBy(distance, kind).limit(NEAREST)
    return did_you_mean(name, (row[kind] for row in nearest.collect()))
