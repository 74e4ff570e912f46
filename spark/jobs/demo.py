"""`evenfleet demo`: what a fleet that is made for it needs, from one group to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spark import InputError
from spark.demo import make_history, most_uneven
from spark.fleet import check_writable, write_store
from spark.jobs.audit import audit
from spark.jobs.compare import compare
from spark.jobs.explain import explain
from spark.jobs.history import history as history_command
from spark.jobs.plan import plan
from spark.jobs.replay import replay
from spark.jobs.report import report
from spark.jobs.verify import verify
from spark.report import check_drawing
from spark.settings import Settings
from spark.terminal import Conf, Master, busy, opened, option, program, run_typed, say

SEED = 1
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
    store, audited, planned, compared, weighed, past, replayed, page = (
        f"{out}/{name}"
        for name in (
            *("store", "audit", "plan", "compare", "by-weight", "history", "replay"),
            "report.html",
        )
    )
    cluster, group = make_store(groups, store, history)
    run_typed(explain, store, "--cluster", cluster, "--group", group)
    with opened(master, conf, Settings(), store):
        run_typed(audit, store, "--out", audited)
        run_typed(plan, store, "--out", planned)
        run_typed(compare, store, "--out", compared, "--strategies", BY_COUNT)
        by_weight = ("--weight", "column", "--strategies", BY_COUNT)
        run_typed(compare, store, "--out", weighed, *by_weight)
        code = run_typed(verify, store, planned)
        if history:
            run_typed(history_command, store, "--out", past)
            run_typed(replay, store, "--out", replayed, "--strategies", REPLAYED)
        of_plan = ("--plan", planned, "--audit", audited, "--compare", compared)
        of_past = ("--history", past) if history else ()
        try:
            check_drawing()
            run_typed(report, store, "--out", page, *of_plan, "--by-weight", weighed, *of_past)
        except InputError as error:
            say(f"There is no report: {error}.")
    say()
    say(f"Open {page} in a browser: it has all of this on one page.")
    collect = "collect --bootstrap HOST:9092 --cluster NAME --out store"
    say(f"Your own clusters: {program()} {collect}")
    say(f"Next: {program()} whatif {store} --event crash-rack=eu-west-1a")
    if code:
        raise typer.Exit(code)


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
