"""How even groups are, over a fleet."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import STATES, WIDTH, altair, coloured_by_state, in_both_states, of


def draw(rows: Rows) -> Any:
    """Two bars a class of groups, by the load of the worst member ÷ the mean load."""
    alt = altair()
    order = [str(row["ratio"]) for row in rows]
    bars = in_both_states(rows, ratio="ratio")
    drawn = (
        alt.Chart(of(bars))
        .mark_bar()
        .encode(
            x=alt.X("ratio:N", sort=order, title="load of the worst member ÷ mean load").axis(
                labelAngle=0
            ),
            xOffset=alt.XOffset("state:N", sort=[*STATES.values()]),
            y=alt.Y("value:Q", title="groups"),
            color=coloured_by_state(),
        )
        .properties(width=WIDTH, height=220)
    )
    return drawn


BALANCE = Chart("balance", "How even groups are, now and planned", draw)
"""Rows: `ratio` (its name), `least` (where the class begins), groups `found` and `planned`."""
