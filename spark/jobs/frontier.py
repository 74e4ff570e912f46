"""`evenfleet frontier`: what moves buy in one group."""

from dataclasses import asdict

from spark import terminal
from spark.frontier import frontier_of_group
from spark.settings import move_price
from spark.terminal import Table, at_most, busy, say_answer, show

POINTS_SHOWN = 7
"""Points that people see, beside the one that is worth most, unless they ask for all."""


def frontier(
    source: terminal.GroupOptions,
    goals: terminal.GoalOptions,
    move_cost: terminal.MoveCost = None,
) -> None:
    """Show the fewest moves for each level of balance in one group."""
    settings, group = goals.apply_to(source.settings), source.group
    price = move_price(move_cost) if move_cost else None
    few = source.open_with_rates(settings)
    with few as (fleet, rates), busy(f"planning group {group}"):
        curve = frontier_of_group(fleet, group, source.cluster, settings.goals, rates)
        goals.check_limits(curve.idle_limits)
    rows = [point.for_people() for point in curve.points]
    row = asdict(curve)
    if price:
        rows, row["points"] = price.with_costs(rows), price.with_costs(row["points"])
    last = len(rows) - 1
    step = max(1, -(-last // (POINTS_SHOWN - 1)))
    few_rows = [
        row for at, row in enumerate(rows) if at % step == 0 or at == last or curve.points[at].knee
    ]
    shown = rows if at_most(POINTS_SHOWN) is None else few_rows
    why = f": {curve.reason}" if curve.reason else ""
    say_answer(str(curve.sentence) if rows else f"Group {curve.group} is {curve.status}{why}.")
    points = Table(rows, shown, bool(rows), as_json=[row])
    show({"frontier": points} | terminal.clusters_read(fleet))
    terminal.say_clusters(fleet)
    if rows:
        knee = next((point.moves for point in curve.points if point.knee), 0)
        act = {"advice_kind": "plan", "can_follow": True, "cluster": curve.cluster, "group": group}
        terminal.lead_to([act], terminal.PLAN + f" --goal max_moves={knee}" * bool(knee))
