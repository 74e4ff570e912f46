"""What moves buy in one group."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import FOUND, PLANNED, WIDTH, altair, of


def draw(rows: Rows) -> Any:
    """A step for each largest load at the fewest moves that reach it; the knee has a ring.

    By weight there is a dashed line below, the lower bound of each number of moves.
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


def _is_by_weight(rows: Rows) -> bool:
    return "max_weight" in rows[0]


FRONTIER = Chart("frontier", "The fewest moves for each largest load", draw)
"""Rows in order of `moves`: the `max_load` (partitions) that they reach; one is the `knee`.

By weight `max_weight` was found, and with so few moves no plan is below `weight_bound`.
"""
