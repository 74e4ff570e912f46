"""What groups read across racks."""

from __future__ import annotations

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import BAR, FOUND, PLANNED, WIDTH, altair, counted, labels, of

NAMES = {"found": "as found", "planned": "as planned"}


def draw(rows: Rows) -> Any:
    """Two bars a cluster."""
    alt = altair()
    names = labels(row["cluster"] for row in rows)
    bars = [
        {"cluster": names[row["cluster"]], "state": name, "reads": row[key]}
        for row in rows
        for key, name in NAMES.items()
    ]
    drawn = (
        alt.Chart(of(bars))
        .mark_bar()
        .encode(
            x=alt.X("reads:Q", title="partitions that are read across racks"),
            y=alt.Y("cluster:N", title=None, sort=None),
            yOffset=alt.YOffset("state:N", sort=[*NAMES.values()]),
            color=alt.Color("state:N", sort=[*NAMES.values()]).scale(
                domain=[*NAMES.values()], range=[FOUND, PLANNED]
            ),
        )
        .properties(width=WIDTH, height=2 * BAR * len(rows))
    )
    return drawn


def tell(rows: Rows) -> str:
    """The sums."""
    now, then = (sum(row[key] for row in rows) for key in NAMES)
    return f"{counted(now, 'partition')} are read across racks as found, and {then:,} as planned."


RACKS = Chart("racks", "Reads across racks by cluster", draw, tell)
"""Rows: `cluster`, partitions read across racks as `found` and as `planned`."""
