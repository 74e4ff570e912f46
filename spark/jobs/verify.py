"""`evenfleet verify`: check a plan against its snapshot."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from optimizer.figures import plural
from spark import FleetSnapshot, InputError, terminal, verify_plan
from spark.fleet import as_rows, read_planned
from spark.terminal import CHECK_FAILED, ROWS_SHOWN, Table, at_most, busy, say, say_answer, show
from spark.verify import PlanTables, planned_snapshots


@dataclass(frozen=True, kw_only=True)
class PlannedPart(terminal.PlannedOptions, terminal.PartOptions):
    """A store, a plan of it, and the part of it that is checked."""


def verify(
    source: PlannedPart,
    snapshot: Annotated[str | None, terminal.snapshot_option("all that the plan has")] = None,
) -> None:
    """Check a plan against its snapshot without the solver; exit code 1 if anything is wrong."""
    plan = source.plan_place
    with source.session() as spark:
        planned = planned_snapshots(spark, plan, snapshot)
        verified, unchecked = [], []
        for snapshot_id in planned:
            try:
                verified.append(_verify_one(spark, source, snapshot_id))
            except InputError as error:
                if len(planned) == 1:
                    raise
                unchecked.append(f"{snapshot_id}: {error}")
        faults = [fault for _, of_snapshot in verified for fault in of_snapshot]
        if verified:
            hidden = {"snapshot"} if len(verified) == 1 else ()
            shown = {"faults": Table(faults, is_shown=bool(faults))}
            show(shown | terminal.clusters_read(*(fleet for fleet, _ in verified)), hidden)
    if unchecked:
        raise InputError(
            f"{len(verified)} of {len(planned)} snapshots of the plan are checked, the others "
            f"can't be: {'; '.join(unchecked)}"
        )
    if faults:
        raise typer.Exit(CHECK_FAILED)


def _verify_one(
    session: SparkSession, source: PlannedPart, snapshot: str
) -> tuple[FleetSnapshot, terminal.Rows]:
    """The first faults of the plan of this fleet, or of part of it."""
    tables = PlanTables.read(session, source.plan_place, snapshot, source.part)
    read = partial(read_planned, session, source.where, source.plan_place, snapshot)
    whole = terminal.read_with_notes(read)
    fleet = terminal.part_of(whole, source.part)
    faults = verify_plan(fleet, tables.assignments, tables.groups, tables.rates).persist()
    try:
        with busy(f"checking the plan of snapshot {snapshot}"):
            count = faults.count()
            ordered = faults.orderBy("cluster", "group", "fault")
            most = at_most(ROWS_SHOWN)
            first = as_rows(ordered if most is None else ordered.limit(most)) if count else []
            planned = tables.groups.where("max_load is not null").count()
    finally:
        faults.unpersist()
    of = f" among {source.part}" if source.part else ""
    where = f"in {plural(planned, 'planned group')}{of}, snapshot {snapshot}"
    holds = "every partition, measure and proof holds"
    say_answer(f"{plural(count, 'fault')} {where}." if count else f"No fault {where}: {holds}.")
    terminal.say_clusters(fleet, tables.notes)
    if whole.part:
        say(f"The plan covers only {whole.part}.")
    return fleet, [{"snapshot": snapshot} | row for row in first]
