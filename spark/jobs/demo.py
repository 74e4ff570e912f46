"""`evenfleet demo`: what a fleet that is made for it needs, from one group to a page."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark import FleetHistory, InputError
from spark.audit import AuditSettings
from spark.demo import make_history, most_uneven
from spark.fleet import WHOLE, check_writable, write_store
from spark.jobs.audit import audit_store
from spark.jobs.compare import compare_store
from spark.jobs.explain import explain
from spark.jobs.history import history_of_store
from spark.jobs.plan import plan_store
from spark.jobs.replay import replay_history
from spark.jobs.report import Paper, write_report
from spark.jobs.verify import verify_store
from spark.report import Results, check_drawing, fleet_before, material_of
from spark.settings import Settings
from spark.terminal import (
    CHECK_FAILED,
    Conf,
    GoalOptions,
    GroupOptions,
    Master,
    busy,
    opened,
    option,
    read_history,
    read_snapshot,
    say,
    with_weight,
)

SEED = 1
PAGE = "report.html"
SNAPSHOT = "20261121T060000Z"
BY_COUNT = "current,range,cooperative-sticky,uniform,optimal"
REPLAYED = "current,range,cooperative-sticky,optimal"

HOURS = 2
"""Snapshots of the fleet, by the hour: enough to see what changed."""


def demo(
    groups: Annotated[int, option("Groups of the fleet.", min=1)] = 300,
    out: Annotated[str, option("Folder for the fleet and its plan.")] = "demo",
    history: Annotated[
        bool, option("Make 48 hours of it, and report and replay them as well.")
    ] = False,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Generate a fleet, then explain, audit, plan, compare, verify and report it."""
    store = f"{out}/store"
    cluster, group = make_store(groups, store, history)
    _announce("explain", store, "--cluster", cluster, "--group", group)
    explain(GroupOptions(store=store, cluster=cluster, group=group), GoalOptions())
    with opened(master, conf, Settings(), store) as spark:
        is_sound = show_main_job(spark, out)
        if history:
            show_past(spark, out)
        show_report(spark, out, history)
    say()
    say(f"Open {out}/{PAGE} in a browser: it has all of this on one page.")
    say("Your own clusters: evenfleet collect --bootstrap HOST:9092 --cluster NAME --out store")
    say(f"Next: evenfleet whatif {store} --event crash-rack=eu-west-1a")
    if not is_sound:
        raise typer.Exit(CHECK_FAILED)


def make_store(groups: int, store: str, history: bool = False) -> tuple[str, str]:
    """Write a fleet of so many groups by the hour; the cluster and name of its most uneven group.

    InputError if something is there.
    """
    check_writable(store)
    if Path(store).exists():
        raise InputError(f"{store} exists: remove it, or choose another --out")
    made = make_history(groups, SEED)
    hours = made.hours if history else HOURS
    say(f"Making {hours} hourly snapshots of a fleet of {groups} groups in {store}")
    with busy("making the fleet"):
        for snapshot, tables in made.snapshots(SNAPSHOT, hours):
            write_store(tables, Path(store), snapshot)
    return most_uneven(tables)


def show_main_job(session: SparkSession, out: str) -> bool:
    """Run audit, plan, compare and verify on the store in `out`; whether the plan verifies."""
    names = ("store", "audit", "plan", "compare", "by-weight")
    store, audited, planned, compared, weighed = (f"{out}/{name}" for name in names)
    settings = Settings()
    _announce("audit", store, "--out", audited)
    audit_store(*(session, store, audited, None, None, AuditSettings()), max_age=settings.max_age)
    _announce("plan", store, "--out", planned)
    plan_store(session, store, planned, None, settings)
    strategies = tuple(BY_COUNT.split(","))
    _announce("compare", store, "--out", compared, "--strategies", BY_COUNT)
    compare_store(session, store, compared, None, replace(settings, strategies=strategies))
    words = ("--weight", "column", "--strategies", BY_COUNT)
    _announce("compare", store, "--out", weighed, *words)
    by_weight = with_weight(replace(settings, strategies=strategies), "column")
    compare_store(session, store, weighed, None, by_weight)
    _announce("verify", store, planned)
    return verify_store(session, store, planned)


def show_past(session: SparkSession, out: str) -> None:
    """Run history and replay on the store in `out`."""
    store, report, replayed = (f"{out}/{name}" for name in ("store", "history", "replay"))
    settings = Settings()

    def past(doing: str) -> FleetHistory:
        return read_history(session, store, doing, None, None, WHOLE, settings)

    _announce("history", store, "--out", report)
    history_of_store(session, past("history"), report)
    _announce("replay", store, "--out", replayed, "--strategies", REPLAYED)
    names = replace(settings, strategies=tuple(REPLAYED.split(",")))
    replay_history(session, past("replay"), replayed, names)


def show_report(session: SparkSession, out: str, history: bool) -> None:
    """Write a report of the store in `out`, from what was made of it."""
    store, planned, audited, page = (f"{out}/{item}" for item in ("store", "plan", "audit", PAGE))
    compared, weighed = f"{out}/compare", f"{out}/by-weight"
    report = f"{out}/history" if history else None
    results = Results(planned, audited, report, compared, weighed)
    words = ("--plan", planned, "--audit", audited, "--compare", compared, "--by-weight", weighed)
    _announce("report", store, "--out", page, *words, *(("--history", report) if report else ()))
    settings = Settings()
    try:
        check_drawing()
    except InputError as error:
        say(f"There is no report: {error}.")
        return
    fleet = read_snapshot(session, store, None, "report", settings.max_age)
    before = fleet_before(session, store, fleet, settings)
    title = "Consumer groups of the demo's fleet"
    material = material_of(
        session, fleet, results, settings, AuditSettings(), title, store, before, busy
    )
    write_report(material, Path(page), Paper.HTML)
    say(f"{material.verdict} The report is in {page}.")


def _announce(*words: str) -> None:
    say()
    say(f"$ evenfleet {shlex.join(words)}")
