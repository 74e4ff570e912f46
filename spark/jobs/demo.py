"""`evenfleet demo`: the main job on a fleet made for it, and what happened to it."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark import FleetHistory, InputError
from spark.audit import AuditSettings
from spark.demo import make_history
from spark.fleet import WHOLE, check_writable, write_store
from spark.jobs.compare import compare_store
from spark.jobs.history import history_of_store
from spark.jobs.plan import plan_store
from spark.jobs.replay import replay_history
from spark.jobs.report import Paper, write_report
from spark.jobs.report_material import Results, fleet_before, material_of
from spark.jobs.verify import verify_store
from spark.report import check_drawing
from spark.settings import Settings
from spark.terminal import (
    CHECK_FAILED,
    Conf,
    Master,
    busy,
    opened,
    read_history,
    read_snapshot,
    say,
)

SEED = 1
PAGE = "report.html"
SNAPSHOT = "20261121T060000Z"


def demo(
    groups: Annotated[int, typer.Option(help="Groups of the fleet.", min=1)] = 300,
    out: Annotated[str, typer.Option(help="Folder for the fleet and its plan.")] = "demo",
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Generate a fleet, then plan, compare, verify and report it."""
    store = f"{out}/store"
    make_store(groups, store)
    with opened(master, conf, Settings(), store) as spark:
        is_sound = show_main_job(spark, out)
        show_past(spark, out)
        show_report(spark, out)
        if not is_sound:
            raise typer.Exit(CHECK_FAILED)


def make_store(groups: int, store: str) -> None:
    """Write a fleet of so many groups by the hour; InputError if something is there."""
    check_writable(store)
    if Path(store).exists():
        raise InputError(f"{store} is there already: remove it, or choose another --out")
    history = make_history(groups, SEED)
    say(f"Making {history.hours} hourly snapshots of a fleet of {groups} groups in {store}")
    with busy("making the fleet"):
        for snapshot, tables in history.snapshots(SNAPSHOT):
            write_store(tables, Path(store), snapshot)


def show_main_job(session: SparkSession, out: str) -> bool:
    """Run plan, compare and verify on the store in `out`; whether the plan verifies."""
    store, planned, compared = (f"{out}/{name}" for name in ("store", "plan", "compare"))
    _announce("plan", store, "--out", planned)
    plan_store(session, store, planned, None, Settings())
    _announce("compare", store, "--out", compared)
    compare_store(session, store, compared, None, Settings())
    _announce("verify", store, planned)
    return verify_store(session, store, planned)


def show_past(session: SparkSession, out: str) -> None:
    """Run history and replay on the store in `out`."""
    store, told, replayed = (f"{out}/{name}" for name in ("store", "history", "replay"))
    settings = Settings()

    def past(doing: str) -> FleetHistory:
        return read_history(session, store, doing, None, None, WHOLE, settings)

    _announce("history", store, "--out", told)
    history_of_store(session, past("history"), told)
    strategies = "current,range,cooperative-sticky,optimal"
    _announce("replay", store, "--out", replayed, "--strategies", strategies)
    chosen = replace(settings, strategies=tuple(strategies.split(",")))
    replay_history(session, past("replay"), replayed, chosen)


def show_report(session: SparkSession, out: str) -> None:
    """Write a report of the store in `out`, with what was made of it."""
    store, planned, told, page = (f"{out}/{one}" for one in ("store", "plan", "history", PAGE))
    settings = Settings()
    _announce("report", store, "--out", page, "--plan", planned, "--history", told)
    try:
        check_drawing()
    except InputError as error:
        say(f"There is no report: {error}.")
        return
    fleet = read_snapshot(session, store, None, "report", settings.max_age)
    before = fleet_before(session, store, fleet, settings)
    results = Results(planned, None, told)
    title = "Consumer groups of the demo's fleet"
    material = material_of(session, fleet, results, settings, AuditSettings(), title, store, before)
    write_report(material, Path(page), Paper.HTML)
    say(f"{material.verdict} The report is in {page}.")


def _announce(*words: str) -> None:
    say()
    say(f"$ evenfleet {shlex.join(words)}")
