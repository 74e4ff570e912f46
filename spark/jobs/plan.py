"""`evenfleet plan`: plan a fleet and write the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from optimizer import STRATEGIES
from spark import InputError, plan_fleet, snapshots
from spark.config import read_settings
from spark.console import Format, Rows, busy, say, show
from spark.jobs.options import Conf, Config, Form, Master, Out, Store, opened
from spark.jobs.reading import read_snapshot
from spark.output import check_writable

ALL = "all"


def plan(
    store: Store,
    out: Out,
    snapshot: Annotated[
        str | None, typer.Option(help="Id, or `all`.", show_default="the newest")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help=f"{', '.join(STRATEGIES)}.", show_default="optimal")
    ] = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Plan every group of a snapshot: who gets which partition, and what has to move for it."""
    settings = read_settings(config)
    chosen = strategy or settings.strategy
    if chosen not in STRATEGIES:
        raise InputError(f"unknown strategy {chosen!r}: choose one of {', '.join(STRATEGIES)}")
    with opened(master, conf, settings) as spark:
        plan_store(spark, store, out, snapshot, chosen, form)


def plan_store(
    session: SparkSession, store: str, out: str, snapshot: str | None, strategy: str, form: Format
) -> None:
    """Plan one snapshot, or all of them, and print what changes."""
    check_writable(out)
    # A store without any is refused as it is when the newest is read.
    chosen: Sequence[str | None] = [snapshot]
    if snapshot == ALL:
        chosen = snapshots(session, store) or [None]
    summaries = [_plan_one(session, store, out, one, strategy) for one in chosen]
    fleet = [row for before_and_after, _ in summaries for row in before_and_after]
    groups = [row for _, by_status in summaries for row in by_status]
    hide = {"sum of squares"} if len(chosen) > 1 else {"sum of squares", "snapshot"}
    show({"fleet": fleet, "groups": groups}, form, hide)


def _plan_one(
    session: SparkSession, store: str, out: str, snapshot: str | None, strategy: str
) -> tuple[Rows, Rows]:
    """The fleet before and after, and its groups by status."""
    fleet = read_snapshot(session, store, snapshot, f"plan by {strategy}")
    with plan_fleet(fleet, strategy) as made, busy(f"planning snapshot {fleet.id}"):
        made.write(out)
        by_status, before_and_after = made.summary()
    say(
        f"Snapshot {fleet.id} is planned by {strategy}: "
        f"the plan is in {out}/assignments and {out}/groups."
    )
    of_snapshot = {"snapshot": fleet.id}
    return [of_snapshot | row for row in before_and_after], [of_snapshot | r for r in by_status]
