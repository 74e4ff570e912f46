"""`evenfleet frontier`: what moves buy in one group."""

from __future__ import annotations

from dataclasses import asdict

from spark.frontier import frontier_of_group
from spark.jobs.move_cost import MoveCost
from spark.settings import move_price
from spark.terminal import (
    GoalOptions,
    GroupOptions,
    Table,
    at_most,
    busy,
    clusters_read,
    say,
    say_clusters,
    show,
)

ROWS_SHOWN = 20
"""Points that people see unless they ask for all, beside those that are worth the most."""


def frontier(
    source: GroupOptions,
    goals: GoalOptions,
    move_cost: MoveCost = None,
) -> None:
    """Show the fewest moves for each level of balance in one group."""
    settings, group = goals.applied(source.settings), source.group
    price = move_price(move_cost) if move_cost else None
    few = source.weighed(f"frontier of group {group}", settings)
    with few as (fleet, rates), busy(f"planning group {group}"):
        result = frontier_of_group(fleet, group, source.cluster, settings.goals, rates)
    say_clusters(fleet)
    reason = f": {result.reason}" if result.reason else ""
    say(f"Group {result.group} of cluster {result.cluster} is {result.status}{reason}.")
    rows = [
        point.for_people() | ({"cost": price.text(point.moves)} if price else {})
        for point in result.points
    ]
    last = len(rows) - 1
    step = max(1, -(-last // (ROWS_SHOWN - 1)))
    few_rows = [
        row for at, row in enumerate(rows) if at % step == 0 or at == last or result.points[at].knee
    ]
    shown = rows if at_most(ROWS_SHOWN) is None else few_rows
    points = Table(rows, shown, bool(rows), as_json=[asdict(result)])
    show({"frontier": points} | clusters_read(fleet))
    if result.points:
        say(str(result.sentence))
