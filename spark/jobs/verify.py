"""`evenfleet verify`: check a plan against its snapshot."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from pyspark.sql import DataFrame, SparkSession

from spark import FleetSnapshot, InputError, verify_plan
from spark.files import Where
from spark.fleet import WHOLE, Part, ids, is_like, is_named, read_planned, read_result, read_results
from spark.plan import WEIGHTS
from spark.terminal import (
    CHECK_FAILED,
    PartOptions,
    PlanFolder,
    PlanTables,
    Rows,
    Table,
    as_rows,
    at_most,
    busy,
    clusters_read,
    option,
    part_of,
    read_and_report,
    say,
    say_clusters,
    show,
)

ROWS_SHOWN = 20
"""Faults of a snapshot that people see unless they ask for all."""


def verify(
    source: PartOptions,
    plan: PlanFolder = None,
    plan_tables: PlanTables = None,
    snapshot: Annotated[
        str | None, option("Id such as 20261121T060000Z.", shown="all that the plan has")
    ] = None,
) -> None:
    """Check a plan against its snapshot without the solver; exit code 1 if anything is wrong."""
    store, planned = source.and_plan(plan, plan_tables)
    with source.session() as spark:
        if not verify_store(spark, store, planned, snapshot, source.part):
            raise typer.Exit(CHECK_FAILED)


def verify_store(
    session: SparkSession,
    store: Where,
    plan: Where,
    snapshot: str | None = None,
    part: Part = WHOLE,
) -> bool:
    """Check every snapshot of the plan, or one; print the first faults; whether there were none.

    Where one of several can't be checked, InputError says so when the others have been.
    """
    planned = sorted({*ids(session, plan, "groups"), *ids(session, plan, "assignments")})
    if not planned:
        raise InputError(f"plan {plan} is empty: write it with `evenfleet plan`")
    if snapshot is not None and snapshot not in planned:
        raise InputError(
            f"plan {plan} has no snapshot {snapshot}: it has {', '.join(planned[-5:])}"
        )
    selection = planned if snapshot is None else [snapshot]
    verified, unchecked = [], []
    for item in selection:
        try:
            verified.append(_verify_one(session, store, plan, item, part))
        except InputError as error:
            if len(selection) == 1:
                raise
            unchecked.append(f"{item}: {error}")
    faults = [fault for _, result in verified for fault in result]
    if verified:
        hidden = {"snapshot"} if len(verified) == 1 else ()
        shown = {"faults": Table(faults, is_shown=bool(faults))}
        show(shown | clusters_read(*(fleet for fleet, _ in verified)), hidden)
    if unchecked:
        raise InputError(
            f"{len(verified)} of {len(selection)} snapshots of the plan are checked, the others "
            f"can't be: {'; '.join(unchecked)}"
        )
    return not faults


def _verify_one(
    session: SparkSession, store: Where, plan: Where, snapshot: str, part: Part
) -> tuple[FleetSnapshot, Rows]:
    """The first faults of the plan of this fleet, or of part of it."""
    groups, assignments = read_results(session, plan, ("groups", "assignments"), snapshot)
    read = partial(read_planned, session, store, plan, snapshot)
    whole = read_and_report(session, store, "verify", read)
    fleet = part_of(whole, part)
    of_plan, of_groups = (_in_part(rows, part) for rows in (assignments.rows, groups.rows))
    rates = _rates_of(session, plan, snapshot)
    result = verify_plan(fleet, of_plan, of_groups, rates).persist()
    try:
        with busy(f"checking the plan of snapshot {snapshot}"):
            count = result.count()
            ordered = result.orderBy("cluster", "group", "fault")
            most = at_most(ROWS_SHOWN)
            shown = ordered if most is None else ordered.limit(most)
            first = as_rows(shown.collect()) if count else []
            planned = of_groups.where("max_load is not null").count()
    finally:
        result.unpersist()
    verdict = f"{count} faults" if count else "no fault: every partition, measure and proof holds"
    say_clusters(fleet, (*groups.notes, *assignments.notes))
    if whole.part:
        say(f"The plan covers only {whole.part}.")
    of = f" among {part}" if part else ""
    say(f"Snapshot {snapshot}, {planned} planned groups{of}: {verdict}.")
    return fleet, [{"snapshot": snapshot} | row for row in first]


def _rates_of(session: SparkSession, plan: Where, snapshot: str) -> DataFrame | None:
    """The rates that the plan was made with; None if it has none."""
    if snapshot not in ids(session, plan, WEIGHTS):
        return None
    return read_result(session, plan, WEIGHTS, snapshot).rows


def _in_part(rows: DataFrame, part: Part) -> DataFrame:
    """The rows of a plan's table that belong to part of a fleet."""
    if part.cluster is not None:
        rows = rows.where(is_named("cluster", [part.cluster]))
    return rows if part.group is None else rows.where(is_like("group", part.group))
