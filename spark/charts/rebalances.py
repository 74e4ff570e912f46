"""When groups rebalanced, and why."""

from __future__ import annotations

from collections import Counter
from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import SERIES, WIDTH, altair, of
from spark.wording import count_of


def draw(rows: Rows) -> Any:
    """A stack of causes an hour."""
    alt = altair()
    causes = sorted({row["cause"] for row in rows})
    drawn = (
        alt.Chart(of(rows))
        .mark_bar(size=9)
        .encode(
            x=alt.X("instant:T", title="time (UTC)").scale(type="utc").axis(format="%d %b %H:%M"),
            y=alt.Y("generations:Q", title="rebalances (times)"),
            color=alt.Color("cause:N").scale(domain=causes, range=[*SERIES[: len(causes)]]),
        )
        .properties(width=WIDTH, height=180)
    )
    return drawn


def tell(rows: Rows) -> str:
    """How many, and the commonest cause."""
    causes: Counter[str] = Counter()
    for row in rows:
        causes[row["cause"]] += row["generations"]
    cause, number = causes.most_common(1)[0]
    return (
        f"Groups rebalanced {count_of(causes.total(), 'time')}; the commonest cause is: {cause} "
        f"({number:,})."
    )


REBALANCES = Chart("rebalances", "Rebalances by hour and likeliest cause", draw, tell)
"""Rows: `instant` (ISO 8601), `cause`, `generations`."""
