"""`evenfleet demo`: what a fleet that is made for it needs, from one group to a page."""

from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from spark import InputError
from spark.demo import drain_settings, make_history, most_uneven
from spark.fleet import snapshot_id, write_store
from spark.jobs.audit import audit
from spark.jobs.compare import compare
from spark.jobs.explain import explain
from spark.jobs.history import history as history_command
from spark.jobs.plan import plan
from spark.jobs.replay import replay
from spark.jobs.report import report
from spark.jobs.verify import verify
from spark.store import check_writable
from spark.terminal import (
    Conf,
    Ended,
    Master,
    StoreOptions,
    busy,
    option,
    program,
    say,
    side_by_side,
    tell_step,
)

SEED = 1
COMPARED = "current,range,cooperative-sticky,uniform,optimal"
REPLAYED = "current,range,cooperative-sticky,optimal"

HOURS = 2
"""Snapshots of the fleet, by the hour: enough to see what changed."""


def demo(
    groups: Annotated[int, option("Groups of the fleet.", min=1)] = 300,
    out: Annotated[str, option("Folder for the fleet and its plan.")] = "demo",
    history: Annotated[
        bool, option("Make 48 hours of it, and report and replay them as well.")
    ] = False,
    until: Annotated[
        str | None,
        option("Id of its newest snapshot, as 20261121T060000Z.", shown="the last full hour"),
    ] = None,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Generate a fleet, then explain, audit, plan, compare, verify and report it: a line a step."""
    store, audited, planned, compared, weighed = (
        f"{out}/{name}" for name in ("store", "audit", "plan", "compare", "by-weight")
    )
    past, page, path = f"{out}/history", f"{out}/report.html", f"{out}/log.txt"
    cluster, group = make_store(groups, store, history, until)
    with (
        Path(path).open("w", encoding="utf-8") as log,
        StoreOptions(store=store, master=master, conf=conf).session() as spark,
        side_by_side(spark, log) as start,
    ):
        tried = ("--strategies", COMPARED)
        by_count, by_weight = ("--goal", "balance=count"), ("--weight", "column")
        running = {
            "explain": start(explain, store, "--cluster", cluster, "--group", group),
            "audit": start(audit, store, "--out", audited),
            "plan": start(plan, store, "--out", planned),
            "by count": start(compare, store, "--out", compared, *tried, *by_count),
            "by weight": start(compare, store, "--out", weighed, *tried, *by_weight),
        }
        if history:
            running["history"] = start(history_command, store, "--out", past)
            of_replay = ("--strategies", REPLAYED)
            running["replay"] = start(replay, store, "--out", f"{out}/replay", *of_replay)
        running.pop("explain")()  # its answer is about one group: the log has it
        for step, finish in running.items():
            _tell(step, finish())
        verified = start(verify, store, planned)
        of_plan = ("--plan", planned, "--audit", audited, "--compare", compared)
        of_past = ("--history", past) if history else ()
        reported = start(report, store, "--out", page, *of_plan, "--by-weight", weighed, *of_past)
        code = _tell("verify", verified())
        try:
            tell_step(
                "report", f"{page}: open it in a browser; all output: {path}", reported().seconds
            )
        except InputError as error:
            tell_step("report", f"There is none: {error}. All output: {path}")
    say(f"Next: {program()} whatif {store} --event crash-rack=eu-west-a", to_paste=True)
    collect = "collect --bootstrap HOST:9092 --cluster NAME --out store"
    say(f"Your own: {program()} {collect}", to_paste=True)
    if code:
        raise typer.Exit(code)


def _tell(step: str, ended: Ended) -> int:
    """Print the beginning of a step's answer, if it has one; its exit code."""
    sentences = ended.answer.split(". ")[: 2 if step == "audit" else 1]
    if ended.answer:
        tell_step(step, ". ".join(sentences).removesuffix(".") + ".", ended.seconds)
    return ended.code


def make_store(
    groups: int, store: str, history: bool = False, until: str | None = None
) -> tuple[str, str]:
    """Write a fleet of `groups` groups by the hour, and settings that drain a host of its.

    The newest snapshot is that of `until`, or of the last full hour.
    Returns its most uneven group, which has that host; InputError if something is there.
    """
    newest = snapshot_id(until) if until else f"{datetime.now(UTC):%Y%m%dT%H}0000Z"
    check_writable(store)
    if Path(store).exists():
        raise InputError(f"{store} exists: remove it, or choose another --out")
    made = make_history(groups, SEED)
    hours = made.hours if history else HOURS
    begun = monotonic()
    with busy("making the fleet"):
        for snapshot, tables in made.snapshots(newest, hours):
            write_store(tables, Path(store), snapshot)
    tell_step("made", f"{groups} groups, {hours} hourly snapshots, in {store}", monotonic() - begun)
    cluster, group = most_uneven(tables)
    Path(store).with_name("drain.toml").write_text(drain_settings(tables, cluster, group), "utf-8")
    return cluster, group
