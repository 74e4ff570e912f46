"""`evenfleet verify`: check a plan against its snapshot."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark import FleetSnapshot, InputError, verify_plan
from spark.console import Format, as_rows, busy, say, show
from spark.output import read_partitioned

SHOWN = 20


def verify(session: SparkSession, store: str, plan: str, form: Format) -> bool:
    """Check every snapshot of the plan; print the first faults; whether there were none."""
    groups = read_partitioned(session, plan, "groups")
    assignments = read_partitioned(session, plan, "assignments")
    ids = sorted(row.snapshot for row in groups.select("snapshot").distinct().collect())
    if not ids:
        raise InputError(f"plan {plan} has no snapshot in it: make it with `evenfleet plan`")
    verdicts = [_verify_one(session, store, assignments, groups, one, form) for one in ids]
    return all(verdicts)


def _verify_one(
    session: SparkSession,
    store: str,
    assignments: DataFrame,
    groups: DataFrame,
    snapshot: str,
    form: Format,
) -> bool:
    fleet = FleetSnapshot.read(session, store, snapshot)
    session.sparkContext.setJobDescription(f"evenfleet verify {snapshot}")
    of_snapshot = F.col("snapshot") == snapshot
    faults = verify_plan(fleet, assignments.where(of_snapshot), groups.where(of_snapshot))
    with busy(f"checking the plan of snapshot {snapshot}"):
        found = faults.persist()
        count = found.count()
        first = as_rows(found.orderBy("cluster", "group", "fault").limit(SHOWN).collect())
        found.unpersist()
        planned = groups.where(of_snapshot & F.col("max_load").isNotNull()).count()
    if first or form is Format.JSON:
        show({"faults": first}, form)
    verdict = f"{count} faults" if count else "no fault: every partition, measure and proof holds"
    say(f"Snapshot {snapshot}, {planned} planned groups: {verdict}.")
    return count == 0
