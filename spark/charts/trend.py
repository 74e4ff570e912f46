"""How a fleet went, snapshot by snapshot."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import SERIES, WIDTH, altair, of

MEASURES = {
    "excess": ["excess", "(partitions)"],
    "lag": ["lag", "(records)"],
    "generations": ["rebalances", "(times)"],
}


FEW = 24
"""Snapshots of which each has a point; more are a line alone."""


def draw(rows: Rows) -> Any:
    """A line a measure, one below the other, over one axis of time."""
    alt = altair()
    lines = [_line(alt, rows, at) for at in range(len(MEASURES))]
    drawn = alt.vconcat(*lines, spacing=8).resolve_scale(x="shared")
    return drawn


def _line(alt: Any, rows: Rows, at: int) -> Any:
    measure, title = [*MEASURES.items()][at]
    last = at == len(MEASURES) - 1
    point: Any = {"size": 12, "color": SERIES[at]} if len(rows) <= FEW else False
    data = [{"instant": row["instant"], "value": row[measure]} for row in rows]
    return (
        alt.Chart(of(data))
        .mark_line(color=SERIES[at], point=point)
        .encode(
            x=alt.X("instant:T", title="time (UTC)" if last else None)
            .scale(type="utc")
            .axis(labels=last, format="%d %b %H:%M", tickCount=6),
            y=alt.Y("value:Q", title=title).axis(tickCount=3, format="~s"),
        )
        .properties(width=WIDTH, height=80)
    )


TREND = Chart("trend", "Excess, lag and rebalances over time", draw)
"""Rows in order of time: `instant` (ISO 8601), sums over the fleet of `excess`, `lag` and
`generations`."""
