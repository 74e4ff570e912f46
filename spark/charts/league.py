"""What each strategy would make of the fleet."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import BAR, SERIES, WIDTH, altair, labels, of

MEASURES = {
    "excess": "partitions too many at the worst members",
    "moves": "partitions that move",
    "stopped_eager": "partitions that an eager rebalance stops",
}
SIDE = WIDTH // len(MEASURES) - 40


def draw(rows: Rows) -> Any:
    """Three panels side by side, a bar a strategy."""
    alt = altair()
    names = labels(row["strategy"] for row in rows)
    panels = [_panel(alt, rows, names, at) for at in range(len(MEASURES))]
    drawn = alt.hconcat(*panels, spacing=24)
    return drawn


def _panel(alt: Any, rows: Rows, names: dict[str, str], at: int) -> Any:
    measure, title = [*MEASURES.items()][at]
    bars = [{"strategy": names[row["strategy"]], "value": row[measure] or 0} for row in rows]
    axis = {} if at == 0 else {"labels": False, "ticks": False}
    base = alt.Chart(of(bars)).encode(
        x=alt.X("value:Q", title=_wrapped(title)).axis(tickCount=2, format="~s"),
        y=alt.Y("strategy:N", sort=[*names.values()], title=None).axis(**axis),
    )
    values = base.mark_text(align="left", dx=3).encode(text=alt.Text("value:Q", format=","))
    return (base.mark_bar(color=SERIES[at]) + values).properties(width=SIDE, height=BAR * len(rows))


def _wrapped(title: str) -> list[str]:
    """In two lines."""
    words = title.split()
    half = (len(words) + 1) // 2
    return [" ".join(words[:half]), " ".join(words[half:])]


LEAGUE = Chart("league", "What each strategy would make of the fleet", draw)
"""Rows as `spark.compare.fleet_of` has them, the best first."""
