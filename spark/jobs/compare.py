"""`evenfleet compare`: what each strategy would do to a fleet."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from spark import FleetSnapshot, terminal
from spark.audit import levels_and_goals
from spark.compare import best_of, groups_table, uneven_row, write_comparison
from spark.fleet import COMPARISON, check_out, snapshot_id
from spark.settings import Settings
from spark.terminal import ROWS_SHOWN, Rows, Table, busy, by_kind, say, say_all, say_answer, show

GROUPS = "groups_to_change"
"""The table of uneven groups, with what each is advised."""


COLUMNS_SHOWN = (
    *("strategy", "uneven", "mean_over_bound", "worst_over_bound", "excess", "moves"),
    "unread",
)
"""Columns that fit a terminal of 80; JSON and the table that is written have all."""


def compare(
    source: terminal.FleetsOptions,
    target: terminal.OutOptions,
    trial: terminal.TrialOptions,
    thresholds: terminal.Thresholds = None,
) -> None:
    """Compare strategies on every group of a snapshot, and name the best."""
    out = target.optional()
    audit_settings, settings = levels_and_goals(thresholds, trial.apply_to(source.settings))
    with source.session(source.single_snapshot) as spark:
        check_out(spark, out, COMPARISON)

        def compare_one(
            fleet: FleetSnapshot,
        ) -> tuple[FleetSnapshot, tuple[terminal.Rows, terminal.Rows, list[str]]]:
            snapshot_id(fleet.id)  # checked before any work is done
            doing = busy(f"comparing strategies on snapshot {fleet.id}")
            with source.weights(spark, settings, fleet.id) as rates, doing:
                options = rates, out, audit_settings.levels, trial.check_limits
                return fleet, write_comparison(fleet, settings, *options)

        compared, fault = source.each(spark, "compared", compare_one)
        if compared:
            table = [
                ({"snapshot": fleet.id} if len(compared) > 1 else {}) | row
                for fleet, (league, *_) in compared
                for row in league
            ]
            changed = [row for _, (_, groups, _) in compared for row in groups]
            terminal.lead_to(changed, terminal.PLAN)
            for fleet, (league, *_) in compared:
                say_answer(source.prefix(fleet) + best_of(league))
            people = [*map(uneven_row, changed)]
            beside = {GROUPS: Table(changed, people, bool(changed), most=ROWS_SHOWN)}
            beside |= terminal.clusters_read(*(fleet for fleet, _ in compared))
            show_strategies(table, beside, settings)
    for fleet, (*_, advice) in compared:
        say_all(advice)
        terminal.say_clusters(fleet)
        if fleet.part:
            say(f"Only {fleet.part} were compared.")
    terminal.say_written(out, "comparison", "fleet", groups_table(out))
    if fault:
        raise fault


def show_strategies(rows: Rows, beside: dict[str, Table], settings: Settings) -> None:
    """Print the tables of all snapshots, one below the other, and those `beside` them."""
    racks = ["remote_reads"] if settings.goals.need_racks else []
    hidden = {*rows[0]}.difference(["snapshot", *COLUMNS_SHOWN, *racks]) if rows else ()
    tables = by_kind("strategies", rows)
    tied = {
        name: replace(table, people=tied_as_one(table.rows, hidden))
        for name, table in tables.items()
    }
    show(tied | beside, hidden)


def tied_as_one(rows: Iterable[Any], hidden: Collection[str]) -> Rows:
    """Rows that differ in no column that people see, as one with the names of all strategies."""
    tied: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        figures = (row[name] for name in row if name != "strategy" and name not in hidden)
        tied.setdefault((*figures,), []).append(row)
    return [
        same[0] | {"strategy": ", ".join(row["strategy"] for row in same)} for same in tied.values()
    ]
