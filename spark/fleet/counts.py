"""How much the snapshots of a store have in them, without all of it being read."""

from __future__ import annotations

from urllib.parse import unquote

from pyspark.sql import Column, Row, SparkSession
from pyspark.sql import functions as F

from spark.errors import unreadable_file
from spark.files import ID_OF_FILE, Where, source_of
from spark.fleet.kinds import kind_of_group
from spark.fleet.states import MEMBERLESS_STATES


def row_counts(session: SparkSession, store: Where, table: str) -> tuple[dict[str, int], set[str]]:
    """How many rows of the table each snapshot has, and the snapshots that can't be read."""
    rows, unreadable = _counted(session, store, table, "nothing int")
    return {row["snapshot"]: row["count"] for row in rows}, unreadable


def kinds_of_groups(session: SparkSession, store: Where) -> dict[str, dict[str, int]]:
    """How many groups that aren't consumer groups each snapshot has that can be read, by kind.

    Whether a group has members is told by its state here.
    """
    has_members = f"coalesce(state, '') not in {MEMBERLESS_STATES}"
    kind = F.expr(kind_of_group(has_members)).alias("kind")
    schema = "type string, strategy string, state string"
    rows, _ = _counted(session, store, "groups", schema, kind)
    kinds: dict[str, dict[str, int]] = {}
    for row in sorted(row for row in rows if row["kind"]):
        kinds.setdefault(row["snapshot"], {})[row["kind"]] = row["count"]
    return kinds


def _counted(
    session: SparkSession, store: Where, table: str, schema: str, *by: Column
) -> tuple[list[Row], set[str]]:
    """Numbers of rows by snapshot, and by what else, and the snapshots that can't be read."""
    source = source_of(session, store)
    there = source.ids(table)
    left = set(there)
    while left and (found := source.labelled(session, [table], left, schema)):
        left &= found.snapshots
        try:
            rows = found.rows.groupBy("snapshot", *by).count().collect()
        except Exception as error:
            broken = ID_OF_FILE.search(unquote(unreadable_file(error) or ""))
            if not broken or broken[1] not in left:
                raise
            left.remove(broken[1])
        else:
            named = [row.asDict() | {"snapshot": unquote(row.snapshot)} for row in rows]
            return [Row(**row) for row in named], set(there).difference(left)
    return [], set(there)
