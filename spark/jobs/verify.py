"""`evenfleet verify`: check a plan against its snapshot."""

from __future__ import annotations

from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark import InputError, verify_plan
from spark.fleet import ids, read_result
from spark.settings import read_settings
from spark.terminal import (
    CHECK_FAILED,
    Conf,
    Config,
    Form,
    Format,
    Master,
    Rows,
    Store,
    as_rows,
    busy,
    opened,
    read_snapshot,
    say,
    show,
)

SHOWN = 20


def verify(
    store: Store,
    plan: Annotated[str, typer.Argument(help="Folder that `plan` wrote.", show_default=False)],
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Check a plan against its snapshot without the solver; exit code 1 if anything is wrong."""
    with opened(master, conf, read_settings(config)) as spark:
        if not verify_store(spark, store, plan, form):
            raise typer.Exit(CHECK_FAILED)


def verify_store(session: SparkSession, store: str, plan: str, form: Format) -> bool:
    """Check every snapshot of the plan; print the first faults; whether there were none."""
    planned = sorted({*ids(session, plan, "groups"), *ids(session, plan, "assignments")})
    if not planned:
        raise InputError(f"plan {plan} has no snapshot in it: make it with `evenfleet plan`")
    faults = [fault for one in planned for fault in _verify_one(session, store, plan, one)]
    if faults or form is Format.JSON:
        show({"faults": faults}, form)
    return not faults


def _verify_one(session: SparkSession, store: str, plan: str, snapshot: str) -> Rows:
    """The first faults of one snapshot's plan."""
    groups = read_result(session, plan, "groups", snapshot)
    assignments = read_result(session, plan, "assignments", snapshot)
    fleet = read_snapshot(session, store, snapshot, "verify")
    found = verify_plan(fleet, assignments, groups).persist()
    try:
        with busy(f"checking the plan of snapshot {snapshot}"):
            count = found.count()
            first = as_rows(found.orderBy("cluster", "group", "fault").limit(SHOWN).collect())
            planned = groups.where("max_load is not null").count()
    finally:
        found.unpersist()
    verdict = f"{count} faults" if count else "no fault: every partition, measure and proof holds"
    say(f"Snapshot {snapshot}, {planned} planned groups: {verdict}.")
    return [{"snapshot": snapshot} | row for row in first]
