"""`evenfleet plan`: plan a fleet and write the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from optimizer import STRATEGY_NAMES
from spark import FleetPlan, FleetSnapshot, InputError, plan_fleet, snapshots
from spark.fleet import check_writable, write_table
from spark.plan import BYTES_A_GB, cross_rack_traffic
from spark.settings import Settings, read_settings
from spark.terminal import (
    Conf,
    Config,
    Form,
    Format,
    GoalTexts,
    Levels,
    Master,
    MinGain,
    Out,
    Rack,
    Rows,
    Store,
    busy,
    clusters_in_json,
    opened,
    read_snapshot,
    say,
    say_clusters,
    show,
    with_goals,
)

ALL = "all"
TRAFFIC = "traffic"


def plan(
    store: Store,
    out: Out,
    snapshot: Annotated[
        str | None, typer.Option(help="Id, or `all`.", show_default="the newest of each cluster")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help=f"{', '.join(STRATEGY_NAMES)}.", show_default="optimal")
    ] = None,
    goal: GoalTexts = None,
    rack: Rack = None,
    levels: Levels = None,
    min_gain: MinGain = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Plan every group of a snapshot: who gets which partition, and what has to move for it."""
    settings = read_settings(config)
    chosen = strategy or settings.strategy
    if chosen not in STRATEGY_NAMES:
        raise InputError(f"unknown strategy {chosen!r}: choose one of {', '.join(STRATEGY_NAMES)}")
    settings = with_goals(settings, goal, rack, levels, min_gain)
    with opened(master, conf, settings) as spark:
        plan_store(spark, store, out, snapshot, replace(settings, strategy=chosen), form)


def plan_store(
    session: SparkSession,
    store: str,
    out: str,
    snapshot: str | None,
    settings: Settings,
    form: Format,
) -> None:
    """Plan one snapshot, or all of them, and print what changes."""
    check_writable(out)
    # A store without any is refused as it is when the newest is read.
    chosen: Sequence[str | None] = [snapshot]
    if snapshot == ALL:
        chosen = snapshots(session, store) or [None]
    planned = [_plan_one(session, store, out, one, settings) for one in chosen]
    tables = [of_snapshot for _, of_snapshot in planned]
    shown: dict[str, Rows] = {
        name: [row for one in tables for row in one[name]] for name in tables[0]
    }
    shown |= clusters_in_json(form, *(fleet for fleet, _ in planned))
    hide = {"sum of squares"} if len(chosen) > 1 else {"sum of squares", "snapshot"}
    show({name: rows for name, rows in shown.items() if rows or name != TRAFFIC}, form, hide)


def _plan_one(
    session: SparkSession, store: str, out: str, snapshot: str | None, settings: Settings
) -> tuple[FleetSnapshot, dict[str, Rows]]:
    """Before and after, the groups by status, and what is read across racks, of this fleet."""
    strategy = settings.strategy
    fleet = read_snapshot(session, store, snapshot, f"plan by {strategy}", settings.max_age)
    planned = plan_fleet(fleet, strategy, settings.goals, settings.strategy_seconds)
    with planned as made, busy(f"planning snapshot {fleet.id}"):
        made.write(out)
        by_status, before_and_after = made.summary()
        traffic = _traffic(made, fleet, out, settings) if settings.goals.need_racks else []
    say_clusters(fleet)
    say(
        f"Snapshot {fleet.id} is planned by {strategy}: "
        f"the plan is in {out}/assignments and {out}/groups."
    )
    tables = {"fleet": before_and_after, "groups": by_status, TRAFFIC: traffic}
    return fleet, {
        name: [{"snapshot": fleet.id} | row for row in rows] for name, rows in tables.items()
    }


def _traffic(made: FleetPlan, fleet: FleetSnapshot, out: str, settings: Settings) -> Rows:
    """Write what each group reads across racks, and sum it up; nothing without weights."""
    if fleet.tables["partitions"].where("weight is not null").isEmpty():
        return []
    traffic = cross_rack_traffic(made, fleet, settings.price_per_gb).persist()
    try:
        ordered = traffic.repartition(1).sortWithinPartitions("cluster", "group")
        write_table(ordered, out, TRAFFIC, fleet.id)
        sums = traffic.groupBy().sum().first()
    finally:
        traffic.unpersist()
    say(f"What each group reads across racks is in {out}/{TRAFFIC}.")
    return [
        {
            "across racks": said,
            "GB a day": (sums[f"sum({when}_bytes)"] or 0.0) / BYTES_A_GB,
            **({"cost a day": sums[f"sum({when}_cost)"] or 0.0} if settings.price_per_gb else {}),
        }
        for when, said in (("found", "as found"), ("planned", "planned"))
        if sums
    ]
