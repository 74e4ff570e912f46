"""`evenfleet verify`: check a plan against its snapshot."""

from __future__ import annotations

from functools import partial

import typer
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError, verify_plan
from spark.files import Where
from spark.fleet import ids, read_planned, read_result
from spark.settings import read_settings
from spark.terminal import (
    CHECK_FAILED,
    Conf,
    Config,
    Form,
    Format,
    Master,
    PlanFolder,
    PlanTables,
    Rows,
    Store,
    StoreTables,
    as_rows,
    busy,
    clusters_in_json,
    is_small,
    opened,
    say,
    say_clusters,
    show,
    store_and_plan,
    told,
)

SHOWN = 20


def verify(
    store: Store = None,
    plan: PlanFolder = None,
    tables: StoreTables = None,
    plan_tables: PlanTables = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Check a plan against its snapshot without the solver; exit code 1 if anything is wrong."""
    source, planned = store_and_plan(store, plan, tables, plan_tables)
    with opened(master, conf, read_settings(config), is_small(source)) as spark:
        if not verify_store(spark, source, planned, form):
            raise typer.Exit(CHECK_FAILED)


def verify_store(session: SparkSession, store: Where, plan: Where, form: Format) -> bool:
    """Check every snapshot of the plan; print the first faults; whether there were none."""
    planned = sorted({*ids(session, plan, "groups"), *ids(session, plan, "assignments")})
    if not planned:
        raise InputError(f"plan {plan} has no snapshot in it: make it with `evenfleet plan`")
    verified = [_verify_one(session, store, plan, one) for one in planned]
    faults = [fault for _, found in verified for fault in found]
    if faults or form is Format.JSON:
        fleets = (fleet for fleet, _ in verified)
        show({"faults": faults} | clusters_in_json(form, *fleets), form)
    return not faults


def _verify_one(
    session: SparkSession, store: Where, plan: Where, snapshot: str
) -> tuple[FleetSnapshot, Rows]:
    """The first faults of the plan of this fleet."""
    groups = read_result(session, plan, "groups", snapshot)
    assignments = read_result(session, plan, "assignments", snapshot)
    read = partial(read_planned, session, store, plan, snapshot)
    fleet = told(session, store, "verify", read)
    found = verify_plan(fleet, assignments.rows, groups.rows).persist()
    try:
        with busy(f"checking the plan of snapshot {snapshot}"):
            count = found.count()
            first = as_rows(found.orderBy("cluster", "group", "fault").limit(SHOWN).collect())
            planned = groups.rows.where("max_load is not null").count()
    finally:
        found.unpersist()
    verdict = f"{count} faults" if count else "no fault: every partition, measure and proof holds"
    say_clusters(fleet, (*groups.notes, *assignments.notes))
    say(f"Snapshot {snapshot}, {planned} planned groups: {verdict}.")
    return fleet, [{"snapshot": snapshot} | row for row in first]
