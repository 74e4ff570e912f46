"""What moves buy in one group."""

from __future__ import annotations

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import FOUND, PLANNED, WIDTH, altair, of
from spark.wording import count_of, figure


def draw(rows: Rows) -> Any:
    """A step for each largest load at the fewest moves that reach it; the knee has a ring.

    By weight there is a dashed line below, of what no plan is under by so many moves.
    """
    alt = altair()
    load, title = ("max_weight", "weight") if _is_by_weight(rows) else ("max_load", "partitions")
    base = alt.Chart(of(rows)).encode(
        x=alt.X("moves:Q", title="moves (partitions)").axis(tickMinStep=1),
        y=alt.Y(f"{load}:Q", title=f"largest load ({title})").scale(zero=False),
    )
    stairs = base.mark_line(interpolate="step-after", color=PLANNED)
    dots = base.mark_point(filled=True, size=36, color=PLANNED, opacity=1)
    knee = base.transform_filter("datum.knee").mark_point(size=180, strokeWidth=2, color=FOUND)
    drawn = stairs + dots + knee
    if _is_by_weight(rows):
        bound = base.encode(y="weight_bound:Q")
        drawn += bound.mark_line(interpolate="step-after", strokeDash=[4, 3], color=FOUND)
    return drawn.properties(width=WIDTH, height=180)


def tell(rows: Rows) -> str:
    """The ends of the line, and its knee."""
    first, last = rows[0], rows[-1]
    said = (
        f"Without a move the largest load is {_first_load(first)}; "
        f"{count_of(last['moves'], 'move')} {'bring' if last['moves'] != 1 else 'brings'} it to "
        f"{_load(last)}"
    )
    if _is_by_weight(rows):
        said += f", and no plan (dashed) is below {figure(last['weight_bound'])}"
    knee = next((row for row in rows if row["knee"]), None)
    if knee is None or knee is last:
        return f"{said}."
    most = f"{knee['moves']:,} {'bring' if knee['moves'] != 1 else 'brings'} it to {_load(knee)}"
    return f"{said}. The ring is where moves do most: {most}."


def _is_by_weight(rows: Rows) -> bool:
    return "max_weight" in rows[0]


def _load(row: Any) -> str:
    return figure(row["max_weight"]) if "max_weight" in row else f"{row['max_load']:,}"


def _first_load(row: Any) -> str:
    by_weight = "max_weight" in row
    return f"{_load(row)} by weight" if by_weight else count_of(row["max_load"], "partition")


FRONTIER = Chart("frontier", "The fewest moves for each largest load", draw, tell)
"""Rows in order of `moves`: the `max_load` (partitions) that they reach; one is the `knee`.

By weight `max_weight` was found, and with so few moves no plan is below `weight_bound`.
"""
