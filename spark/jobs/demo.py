"""`evenfleet demo`: what a fleet that is made for it needs, from one group to a page."""

from pathlib import Path
from typing import Annotated

import typer

from spark import InputError
from spark.demo import drain_settings, make_history, most_uneven
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
from spark.terminal import Conf, Master, busy, opened, option, program, run_typed, say, side_by_side

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
    """Generate a fleet, then explain, audit, plan, compare, report and verify it."""
    store, audited, planned, compared, weighed = (
        f"{out}/{name}" for name in ("store", "audit", "plan", "compare", "by-weight")
    )
    past, page = f"{out}/history", f"{out}/report.html"
    cluster, group = make_store(groups, store, history)
    run_typed(explain, store, "--cluster", cluster, "--group", group)
    with opened(master, conf, Settings(), store) as spark, side_by_side(spark) as start:
        by_count = ("--strategies", BY_COUNT)
        running = [
            start(audit, store, "--out", audited),
            start(plan, store, "--out", planned),
            start(compare, store, "--out", compared, *by_count),
            start(compare, store, "--out", weighed, "--weight", "column", *by_count),
        ]
        if history:
            running += [
                start(history_command, store, "--out", past),
                start(replay, store, "--out", f"{out}/replay", "--strategies", REPLAYED),
            ]
        for finish in running:
            finish()
        verified = start(verify, store, planned)
        of_plan = ("--plan", planned, "--audit", audited, "--compare", compared)
        of_past = ("--history", past) if history else ()
        try:
            check_drawing()
            run_typed(report, store, "--out", page, *of_plan, "--by-weight", weighed, *of_past)
        except InputError as error:
            say(f"There is no report: {error}.")
        code = verified()
    say()
    say(f"Open {page} in a browser: it has all of this on one page.")
    collect = "collect --bootstrap HOST:9092 --cluster NAME --out store"
    say(f"Your own clusters: {program()} {collect}")
    say(f"Next: {program()} whatif {store} --event crash-rack=eu-west-a")
    if code:
        raise typer.Exit(code)


def make_store(groups: int, store: str, history: bool = False) -> tuple[str, str]:
    """Write a fleet of `groups` groups by the hour, and settings that drain a host of its.

    Returns its most uneven group, which has that host; InputError if something is there.
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
    cluster, group = most_uneven(tables)
    Path(store).with_name("drain.toml").write_text(drain_settings(tables, cluster, group), "utf-8")
    return cluster, group
