"""What groups read across racks."""

from __future__ import annotations

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import (
    BAR,
    STATES,
    WIDTH,
    altair,
    coloured_by_state,
    in_both_states,
    labels,
    of,
)
from spark.wording import count_of


def draw(rows: Rows) -> Any:
    """Two bars a cluster."""
    alt = altair()
    names = labels(row["cluster"] for row in rows)
    labelled = [{**row, "cluster": names[row["cluster"]]} for row in rows]
    bars = in_both_states(labelled, cluster="cluster")
    drawn = (
        alt.Chart(of(bars))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title="partitions that are read across racks"),
            y=alt.Y("cluster:N", title=None, sort=None),
            yOffset=alt.YOffset("state:N", sort=[*STATES.values()]),
            color=coloured_by_state(),
        )
        .properties(width=WIDTH, height=2 * BAR * len(rows))
    )
    return drawn


def tell(rows: Rows) -> str:
    """The sums."""
    now, then = (sum(row[key] for row in rows) for key in STATES)
    return f"{count_of(now, 'partition')} are read across racks now, {then:,} in the plan."


RACKS = Chart("racks", "Reads across racks by cluster", draw, tell)
"""Rows: `cluster`, partitions read across racks as `found` and as `planned`."""
