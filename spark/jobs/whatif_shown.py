"""`evenfleet whatif`: the tables that it prints."""

from spark import FleetSnapshot
from spark.settings import MOVE_COSTS
from spark.terminal import (
    ROWS_SHOWN,
    Table,
    by_kind,
    clusters_read,
    programs_only,
    say,
    say_clusters,
    show,
)
from spark.whatif import WhatIfResult, fleet_for_people, group_for_people, lag_for_people

COLUMNS_SHOWN = (
    *("strategy", "groups", "excess_after", "moves", "rebalances", "unread_seconds"),
    *("longest_pause", "read_twice_seconds"),
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound_after", "worst_over_bound_after", "excess_after", "moves"),
    *("rebalances", "unread_seconds"),
)
"""The same where groups are balanced by weight."""


def show_result(result: WhatIfResult, fleet: FleetSnapshot, by_weight: bool) -> None:
    """Print the table of strategies, and the groups that suffer most."""
    leagues = by_kind("strategies", result.fleet)
    affected = {n: rows for n, rows in leagues.items() if any(row["groups"] for row in rows)}
    tables = {
        name: Table(rows, [*map(fleet_for_people, rows)])
        for name, rows in (affected or {"strategies": result.fleet}).items()
    }
    rows = [*map(group_for_people, result.groups)]
    groups = Table(result.groups, rows, title="groups that suffer most", most=ROWS_SHOWN)
    lag = lag_for_people(result.fleet)
    tables |= {"lag": Table(lag, title="lag of the worst group", as_json=None)} if lag else {}
    shown = SHOWN_BY_WEIGHT if by_weight else COLUMNS_SHOWN
    visible = *shown, *MOVE_COSTS
    hidden = {key for row in result.fleet for key in row if key not in visible}
    others = programs_only(result.outage) | clusters_read(fleet)
    show(tables | {"groups": groups} | others, hidden)
    say_clusters(fleet)
    if fleet.part:
        say(f"Only {fleet.part} were evaluated.")
