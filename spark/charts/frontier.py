"""What moves buy in one group."""

from __future__ import annotations

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import FOUND, PLANNED, WIDTH, altair, of
from spark.wording import count_of


def draw(rows: Rows) -> Any:
    """A step for each largest load at the fewest moves that reach it; the knee has a ring."""
    alt = altair()
    base = alt.Chart(of(rows)).encode(
        x=alt.X("moves:Q", title="moves (partitions)").axis(tickMinStep=1),
        y=alt.Y("max_load:Q", title="largest load (partitions)").scale(zero=False),
    )
    stairs = base.mark_line(interpolate="step-after", color=PLANNED)
    dots = base.mark_point(filled=True, size=36, color=PLANNED, opacity=1)
    knee = base.transform_filter("datum.knee").mark_point(size=180, strokeWidth=2, color=FOUND)
    return (stairs + dots + knee).properties(width=WIDTH, height=180)


def tell(rows: Rows) -> str:
    """The ends of the line, and its knee."""
    first, last = rows[0], rows[-1]
    said = (
        f"Without a move the largest load is {count_of(first['max_load'], 'partition')}; "
        f"{count_of(last['moves'], 'move')} {'bring' if last['moves'] != 1 else 'brings'} it to "
        f"{last['max_load']:,}"
    )
    knee = next((row for row in rows if row["knee"]), None)
    if knee is None or knee is last:
        return f"{said}."
    most = f"{knee['moves']:,} bring it to {knee['max_load']:,}"
    return f"{said}. The ring is where moves do most: {most}."


FRONTIER = Chart("frontier", "The fewest moves for each largest load", draw, tell)
"""Rows in order of `moves`: the `max_load` (partitions) that they reach; one is the `knee`."""
