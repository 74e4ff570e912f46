"""`evenfleet plan`: plan a fleet and write the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Annotated

from pyspark.sql import DataFrame, SparkSession

from optimizer import STRATEGY_NAMES
from spark import FleetPlan, FleetSnapshot, plan_fleet
from spark.compare import kafka_could
from spark.files import Where, table_in
from spark.fleet import PLAN, WHOLE, Part, check_out
from spark.plan import BYTES_A_GB, TRAFFIC, cross_rack_traffic
from spark.settings import Settings, check_strategy
from spark.terminal import (
    FleetsOptions,
    GoalOptions,
    OutOptions,
    Rows,
    at_most,
    busy,
    clusters_read,
    each_snapshot,
    option,
    part_of,
    rates_for,
    read_snapshot,
    say,
    say_clusters,
    show,
)

WORST = "worst groups"
"""The table of uneven groups, which the plan evens out."""

ROWS_SHOWN = 10
"""Groups of it that people see unless they ask for all, and of which it says what Kafka could."""

OPTIONAL = (WORST, TRAFFIC)
"""Tables that aren't shown where they have no rows."""


def plan(
    source: FleetsOptions,
    target: OutOptions,
    goals: GoalOptions,
    strategy: Annotated[
        str | None,
        option(f"{', '.join(STRATEGY_NAMES)}, or your own package:function.", shown="optimal"),
    ] = None,
) -> None:
    """Plan every group of a snapshot: the most even assignment with the fewest moves."""
    out = target.required()
    selection = strategy or source.settings.strategy
    check_strategy(selection)
    settings = replace(goals.applied(source.settings), strategy=selection)
    with source.session(source.one) as spark:
        plan_store(spark, source.where, out, source.snapshot, settings, source.part)


def plan_store(
    session: SparkSession,
    store: Where,
    out: Where,
    snapshot: str | None,
    settings: Settings,
    part: Part = WHOLE,
) -> None:
    """Plan one snapshot, or all of them, or part of them, and print what changes."""
    check_out(session, out, PLAN)
    planned, fault = each_snapshot(
        *(session, store, snapshot, part, "are planned"),
        lambda item: _plan_one(session, store, out, item, settings, part),
    )
    if planned:
        _show(planned)
    if fault:
        raise fault


def _show(planned: Sequence[tuple[FleetSnapshot, dict[str, Rows]]]) -> None:
    """Print the tables of all snapshots, one below the other."""
    tables = [of_snapshot for _, of_snapshot in planned]
    shown = {name: [row for table in tables for row in table[name]] for name in tables[0]}
    hide = {"sum of squares"} if len(planned) > 1 else {"sum of squares", "snapshot"}
    filled = {name: rows for name, rows in shown.items() if rows or name not in OPTIONAL}
    show({**filled, **clusters_read(*(fleet for fleet, _ in planned))}, hide)


def _worst(
    made: FleetPlan, fleet: FleetSnapshot, settings: Settings, rates: DataFrame | None
) -> Rows:
    """The uneven groups as people read them, the worst first."""
    rows = made.worst(at_most(ROWS_SHOWN))
    groups = [(row["cluster"], row["group"]) for row in rows[:ROWS_SHOWN]]
    could = kafka_could(fleet, groups, settings.goals, settings.strategy_seconds, rates)
    load = "max_weight" if settings.goals.weights else "max_load"
    return [
        {
            **{"cluster": row["cluster"], "group": row["group"]},
            **{"now": row[f"current_{load}"], "planned": row[load], "moves": row["moves"]},
            "idle to busy": row["idle_to_busy"],
            "kafka could": could.get((row["cluster"], row["group"])),
        }
        for row in rows
    ]


def _plan_one(
    session: SparkSession,
    store: Where,
    out: Where,
    snapshot: str | None,
    settings: Settings,
    part: Part,
) -> tuple[FleetSnapshot, dict[str, Rows]]:
    """Before and after, the groups by status, and what is read across racks, of this fleet."""
    strategy = settings.strategy
    fleet = read_snapshot(session, store, snapshot, f"plan by {strategy}", settings.max_age)
    fleet = part_of(fleet, part)
    doing = busy(f"planning snapshot {fleet.id}")
    with ExitStack() as kept:
        rates = kept.enter_context(rates_for(session, store, settings, fleet.id))
        planned = plan_fleet(fleet, strategy, settings.goals, settings.strategy_seconds, rates)
        made = kept.enter_context(planned)
        kept.enter_context(doing)
        traffic = kept.enter_context(_traffic(made, fleet, settings))
        made.write(out, traffic, rates)
        by_status, before_and_after = made.summary()
        sentence = made.sentence()
        worst = _worst(made, fleet, settings, rates)
        across = _summed(traffic, settings) if traffic is not None else []
    say_clusters(fleet)
    say(
        f"Snapshot {fleet.id} is planned by {strategy}: "
        f"the plan is in {table_in(out, 'assignments')} and {table_in(out, 'groups')}."
    )
    say(sentence)
    if part:
        say(f"Only {part} were planned: {out} has no other groups of snapshot {fleet.id}.")
    if traffic is not None:
        say(f"Each group's traffic across racks is in {table_in(out, TRAFFIC)}.")
    tables = {
        WORST: worst,
        "fleet": before_and_after,
        "groups": by_status,
        TRAFFIC: across,
    }
    return fleet, {
        name: [{"snapshot": fleet.id} | row for row in rows] for name, rows in tables.items()
    }


@contextmanager
def _traffic(
    made: FleetPlan, fleet: FleetSnapshot, settings: Settings
) -> Iterator[DataFrame | None]:
    """What each group reads across racks, kept meanwhile; None without racks or weights."""
    weighed = fleet.tables["partitions"].where("weight is not null")
    if not settings.goals.need_racks or weighed.isEmpty():
        yield None
        return
    traffic = cross_rack_traffic(made, fleet, settings.price_per_gb).persist()
    try:
        yield traffic
    finally:
        traffic.unpersist()


def _summed(traffic: DataFrame, settings: Settings) -> Rows:
    """What the fleet reads across racks, now and planned."""
    sums = traffic.groupBy().sum().first()
    return [
        {
            "across racks": text,
            "GB a day": (sums[f"sum({when}_bytes)"] or 0.0) / BYTES_A_GB,
            **({"cost a day": sums[f"sum({when}_cost)"] or 0.0} if settings.price_per_gb else {}),
        }
        for when, text in (("current", "now"), ("planned", "planned"))
        if sums
    ]
