"""Names that columns and statuses of results had before 0.1.0, and have no more."""

from __future__ import annotations

from pyspark.sql import functions as F

from spark.files import Stated
from spark.fleet.states import UNSUPPORTED

OLD_PREFIX, NEW_PREFIX = "found_", "current_"
OLD_NAMES = {"afresh": "resets", "ability": "peak_rate", "without_answer": "not_evaluated"}
OLD_STATUS = "foreign"


def with_new_names(table: Stated) -> Stated:
    """A table of a result with today's names; a note says so where some were others."""
    rows = table.rows
    renamed = {name: _renamed(name) for name in rows.columns if _renamed(name) != name}
    if not renamed:
        return table
    rows = rows.withColumnsRenamed(renamed)
    if "status" in rows.columns:
        status = F.col("status")
        rows = rows.withColumn(
            "status", F.when(status == OLD_STATUS, UNSUPPORTED).otherwise(status)
        )
    pairs = ", ".join(f"{old} as {new}" for old, new in sorted(renamed.items()))
    note = f"an older version wrote this result: its columns are read under new names ({pairs})"
    return table._replace(rows=rows, notes=(*table.notes, note))


def _renamed(name: str) -> str:
    if name.startswith(OLD_PREFIX):
        return NEW_PREFIX + name.removeprefix(OLD_PREFIX)
    return OLD_NAMES.get(name, name)
