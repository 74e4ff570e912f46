"""`evenfleet export-plan`: the plan of one group as a file for its consumers."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce import group_plan
from spark.errors import InputError
from spark.files import Where, replace_text
from spark.fleet import ids, read_planned, read_result
from spark.settings import read_settings
from spark.terminal import (
    Conf,
    Config,
    Master,
    PlanFolder,
    PlanTables,
    Store,
    StoreTables,
    busy,
    opened,
    say,
    say_clusters,
    store_and_plan,
    told,
)


def export_plan(
    *,
    store: Store = None,
    plan: PlanFolder = None,
    group: Annotated[str, typer.Option(help="Name of the group.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The file, a local one.", show_default=False)],
    tables: StoreTables = None,
    plan_tables: PlanTables = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Its cluster.", show_default="the only one with such a group"),
    ] = None,
    snapshot: Annotated[
        str | None,
        typer.Option(help="Id like 20261121T060000Z.", show_default="the newest of the plan"),
    ] = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
) -> None:
    """Write the plan of one group as JSON, for consumers with a `PlanAssignor`."""
    source, planned = store_and_plan(store, plan, tables, plan_tables)
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise InputError(f"--out {out} has to be a file in a folder that is there")
    with opened(master, conf, read_settings(config), source) as spark:
        exported = _exported(spark, source, planned, snapshot, group, cluster)
    replace_text(out, exported.to_text())
    partitions = sum(exported.topics.values())
    say(
        f"{out} has the plan of group {group} of cluster {exported.cluster}, snapshot "
        f"{exported.snapshot}: {len(exported.members)} members, {partitions} partitions."
    )


def _exported(
    session: SparkSession,
    store: Where,
    plan: Where,
    snapshot: str | None,
    group: str,
    cluster: str | None,
) -> GroupPlan:
    planned = ids(session, plan, "groups")
    chosen = snapshot or next(reversed(planned), None)
    if chosen is None:
        raise InputError(f"plan {plan} has no snapshot in it: make it with `evenfleet plan`")
    groups = read_result(session, plan, "groups", chosen)
    assignments = read_result(session, plan, "assignments", chosen)
    fleet = told(session, store, "export-plan", partial(read_planned, session, store, plan, chosen))
    with busy(f"reading the plan of group {group}"):
        exported = group_plan(fleet, groups.rows, assignments.rows, group, cluster)
    say_clusters(fleet, (*groups.notes, *assignments.notes))
    return exported
