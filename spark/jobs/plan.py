"""`evenfleet plan`: plan a fleet and write the plan."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated, Any

from optimizer import STRATEGY_NAMES
from spark import FleetSnapshot, plan_fleet, terminal
from spark.audit import AuditSettings, levels_and_goals
from spark.fleet import PLAN, check_out
from spark.glossary import STATUSES
from spark.plan import TRAFFIC, kept_traffic, traffic_of_fleet, uneven_for_people
from spark.settings import Settings, check_strategy
from spark.store import Where
from spark.terminal import ROWS_SHOWN, Table, at_most, busy, option, say_all, say_answer, show

WORST = "worst_groups"
"""The table of uneven groups, which the plan evens out."""


def plan(
    source: terminal.FleetsOptions,
    target: terminal.OutOptions,
    goals: terminal.GoalOptions,
    strategy: Annotated[
        str | None,
        option(f"{', '.join(STRATEGY_NAMES)}, or your own package:function.", shown="optimal"),
    ] = None,
    thresholds: terminal.Thresholds = None,
) -> None:
    """Plan every group of a snapshot: the most even assignment with the fewest moves."""
    out = target.optional()
    strategy_name = strategy or source.settings.strategy
    check_strategy(strategy_name)
    levels, settings = levels_and_goals(thresholds, goals.apply_to(source.settings))
    with_strategy = replace(settings, strategy=strategy_name)
    with source.session(source.single_snapshot) as spark:
        check_out(spark, out, PLAN)
        planned, fault = source.each(
            *(spark, "planned"),
            lambda fleet: _plan_one(fleet, source, out, with_strategy, levels, goals.check_limits),
        )
        if planned:
            show_plans(planned)
            for fleet, _, notes in planned:
                say_all(notes)
                terminal.say_clusters(fleet)
            traffic = (TRAFFIC,) if planned[0][1][TRAFFIC] else ()
            terminal.say_written(out, "assignments", "groups", *traffic)
    if fault:
        raise fault


def _plan_one(
    fleet: FleetSnapshot,
    source: terminal.FleetsOptions,
    out: Where | None,
    settings: Settings,
    levels: AuditSettings,
    check_limits: Callable[[Sequence[str]], None],
) -> tuple[FleetSnapshot, dict[str, terminal.Rows], list[str]]:
    """Tables of a plan: worst groups, before and after, by status, reads across racks; notes."""
    session, price = fleet.tables["groups"].sparkSession, settings.price_per_gb
    doing = busy(f"planning snapshot {fleet.id}")
    with ExitStack() as kept:
        rates = kept.enter_context(source.weights(session, settings, fleet.id))
        planned = plan_fleet(
            *(fleet, settings.strategy, settings.goals, settings.strategy_seconds, rates),
            levels=levels.levels,
        )
        made = kept.enter_context(planned)
        kept.enter_context(doing)
        check_limits(made.idle_limits())
        traffic = kept.enter_context(kept_traffic(made, fleet, settings.goals, price))
        if out:
            made.write(out, traffic, rates)
        by_status, before_and_after = made.summary()
        worst = made.worst(at_most(ROWS_SHOWN))
        terminal.lead_to(worst, terminal.EXPORT if out else terminal.PLAN)
        tables: dict[str, terminal.Rows] = {
            WORST: worst,
            "fleet": before_and_after,
            "groups": by_status,
            TRAFFIC: traffic_of_fleet(traffic, price) if traffic is not None else [],
        }
        say_answer(source.prefix(fleet) + made.sentence())
        notes = [*made.advice()]
    if fleet.part:
        others = f": {out} has no other groups of snapshot {fleet.id}" if out else ""
        notes.append(f"Only {fleet.part} were planned{others}.")
    named = {name: [{"snapshot": fleet.id} | row for row in rows] for name, rows in tables.items()}
    return fleet, {**named}, notes


def show_plans(planned: Sequence[tuple[FleetSnapshot, dict[str, terminal.Rows], Any]]) -> None:
    """Print the tables of all snapshots, one below the other."""
    tables = [of_snapshot for _, of_snapshot, _ in planned]
    every = {name: [row for table in tables for row in table[name]] for name in tables[0]}
    hide = {"sum_of_squares"} if len(planned) > 1 else {"sum_of_squares", "snapshot"}
    shown: dict[str, Any] = {
        name: Table(rows, is_detail=True) for name, rows in every.items() if rows or name != TRAFFIC
    }
    explained = [{**row, "means": STATUSES.get(row["status"])} for row in every["groups"]]
    shown["groups"] = Table(every["groups"], explained, is_detail=True)
    worst = every[WORST]
    shown[WORST] = Table(worst, uneven_for_people(worst), bool(worst))
    show({**shown, **terminal.clusters_read(*(fleet for fleet, *_ in planned))}, hide)
