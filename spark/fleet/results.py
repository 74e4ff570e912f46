"""Where results go and come from, older ones under today's names."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.fleet.clusters import Composition
from spark.fleet.kinds import UNSUPPORTED
from spark.fleet.schemas import RESULTS, TABLES, check_kind
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.store import check_folder, has_snapshots, whole
from spark.fleet.teams import Team
from spark.store import CatalogSchema, StoredTable, Where, check_tables, source_of

OLD_PREFIX, NEW_PREFIX = "found_", "current_"
OLD_NAMES = {"afresh": "resets", "ability": "peak_rate", "without_answer": "not_evaluated"}
OLD_STATUS = "foreign"


def as_rows(rows: DataFrame) -> list[dict[str, Any]]:
    """The rows of a small table as dictionaries."""
    return [row.asDict(recursive=True) for row in rows.collect()]


def with_new_names(table: StoredTable) -> StoredTable:
    """A table of a result with today's names; a note says so where some were others."""
    rows = table.rows
    renamed = {name: _new_name(name) for name in rows.columns if _new_name(name) != name}
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


def _new_name(name: str) -> str:
    if name.startswith(OLD_PREFIX):
        return NEW_PREFIX + name.removeprefix(OLD_PREFIX)
    return OLD_NAMES.get(name, name)


UNEVEN = "coalesce(uneven, false)"
"""SQL text over rows with advice: whether a group is uneven (docs/advice.md)."""

BY_WEIGHT = "weight_bound is not null"
"""SQL text: whether it is by weight that a group is balanced."""


def worst_first() -> list[Column]:
    """The order of groups from the worst one on: largest load ÷ the best possible, then size."""
    worst = F.desc_nulls_last("now_to_best")
    return [worst, F.desc("partitions"), F.col("cluster"), F.col("group")]


CLUSTERS = "clusters"
"""The table of a plan that tells of which snapshot each cluster was."""


PLAN_WEIGHTS = "weights"
"""The table of a plan with the rates that it was made with."""


PART = "part"
"""The table of a plan of part of a fleet: which part that is, in one row (see `Part`)."""


def no_plan(session: SparkSession, plan: Where) -> InputError:
    """The error on a plan that isn't there, or has nothing."""
    remedy = "write it with `evenfleet plan`"
    check_folder(session, plan, remedy)
    return InputError(f"plan {plan} is empty: {remedy}")


def check_out(session: SparkSession, out: Where | None, kind: str) -> None:
    """Raise InputError when a result of that kind can't be in `out` (see `check_kind`).

    Nor can it be inside a table of a store: its files would be read as rows. In a catalog it can't
    where its tables can't be written. A result that is only printed can be everywhere.
    """
    if out is None:
        return
    if isinstance(out, CatalogSchema):
        check_tables(session, out, RESULTS[kind])
    else:
        _check_outside(session, out)
    check_kind(session, out, kind)


def _check_outside(session: SparkSession, out: str) -> None:
    parts = out.rstrip("/").split("/")
    if "://" not in out:
        parts = str(Path(out.removeprefix("file:")).resolve()).split("/")
    for at, part in enumerate(parts):
        store = "/".join(parts[:at]) or "/"
        if part in TABLES and at and has_snapshots(session, store):
            raise InputError(
                f"output {out} is inside table {part} of the store {store}: choose a folder "
                "outside of its tables"
            )


def read_result(session: SparkSession, out: Where, name: str, snapshot: str) -> StoredTable:
    """One table of a plan; InputError when it isn't there or can't be read."""
    (table,) = read_results(session, out, (name,), snapshot)
    return table


def read_results(
    session: SparkSession, out: Where, names: Sequence[str], snapshot: str
) -> list[StoredTable]:
    """Tables of one plan, even if another is written meanwhile; InputError as `read_result`."""
    source = source_of(session, out)

    def read() -> list[StoredTable]:
        tables = []
        for name in names:
            if (table := source.read(session, name, snapshot)) is None:
                raise InputError(
                    f"plan {out} has no table {name} of snapshot {snapshot}: name a folder that "
                    "plan wrote, or plan this snapshot again"
                )
            tables.append(with_new_names(table))
        return tables

    return source.at_once([snapshot], read)


def read_planned(session: SparkSession, store: Where, out: Where, snapshot: str) -> FleetSnapshot:
    """The fleet that a plan is of, also if the store has newer snapshots.

    That is what the plan's table of clusters names, or else all of the snapshot of that id; of a
    plan of part of a fleet the same part. Raises
    InputError when the store doesn't have it any more, and as `FleetSnapshot.compose` does.
    """
    table = source_of(session, out).read(session, CLUSTERS, snapshot)
    instants = {row.cluster: row.instant for row in table.rows.collect()} if table else {}
    for instant in sorted({snapshot, *instants.values()}):
        whole(session, store, instant)
    fleet = FleetSnapshot.compose(session, store, Composition(snapshot, instants))
    part = source_of(session, out).read(session, PART, snapshot)
    row = part.rows.first() if part else None
    teams = [Team(*team) for team in getattr(row, "teams", ())]  # an older plan has none
    return fleet.matching(row["cluster"], row["group"], teams) if row else fleet
