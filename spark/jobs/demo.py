"""`evenfleet demo`: the main job on a fleet made for it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark import InputError
from spark.demo import make_history
from spark.fleet import check_writable, write_store
from spark.jobs.compare import compare_store
from spark.jobs.plan import plan_store
from spark.jobs.verify import verify_store
from spark.settings import Settings
from spark.terminal import CHECK_FAILED, Conf, Form, Format, Master, opened, say

SEED = 1
SNAPSHOT = "20261121T060000Z"


def demo(
    groups: Annotated[int, typer.Option(help="Groups of the fleet.", min=1)] = 300,
    out: Annotated[str, typer.Option(help="Folder for the fleet and its plan.")] = "demo",
    master: Master = None,
    conf: Conf = None,
    form: Form = Format.TABLE,
) -> None:
    """Make a fleet, plan it, compare strategies on it, and verify the plan."""
    store = f"{out}/store"
    make_store(groups, store)
    with opened(master, conf, Settings(), store) as spark:
        if not show_main_job(spark, out, form):
            raise typer.Exit(CHECK_FAILED)


def make_store(groups: int, store: str) -> None:
    """Write a fleet of so many groups by the hour; InputError if something is there."""
    check_writable(store)
    if Path(store).exists():
        raise InputError(f"{store} is there already: remove it, or choose another --out")
    history = make_history(groups, SEED)
    say(f"Making {history.hours} hourly snapshots of a fleet of {groups} groups in {store}")
    for snapshot, tables in history.snapshots(SNAPSHOT):
        write_store(tables, Path(store), snapshot)


def show_main_job(session: SparkSession, out: str, form: Format) -> bool:
    """Run plan, compare and verify on the store in `out`; whether the plan verifies."""
    store, planned, compared = (f"{out}/{name}" for name in ("store", "plan", "compare"))
    _announce("plan", store, "--out", planned)
    plan_store(session, store, planned, None, Settings(), form)
    _announce("compare", store, "--out", compared)
    compare_store(session, store, compared, None, Settings(), form)
    _announce("verify", store, planned)
    return verify_store(session, store, planned, form)


def _announce(*words: str) -> None:
    say()
    say(f"$ evenfleet {shlex.join(words)}")
