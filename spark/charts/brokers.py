"""What brokers of a cluster have, before and after a plan of its replicas and leaders."""

from __future__ import annotations

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import BAR, STATES, WIDTH, altair, coloured_by_state, of

MEASURES = {
    "replicas": ("replicas", "planned"),
    "leaders": ("leaders", "planned_leaders"),
    "bytes": ("bytes", "planned_bytes"),
}
"""What is shown, and its columns now and planned; bytes where they are known."""

MOST = 40
"""So many brokers are drawn: those of which most changes."""


def draw(rows: Rows) -> Any:
    """A panel for each measure, side by side, with two bars a broker."""
    alt = altair()
    drawn = sorted(rows, key=lambda row: (-_change(row), row["broker"]))[:MOST]
    names = [str(row["broker"]) for row in sorted(drawn, key=lambda row: row["broker"])]
    known = [name for name in MEASURES if _is_known(rows, name)]
    side = WIDTH // len(known) - 40
    panels = [_panel(alt, drawn, names, name, side, first=name == known[0]) for name in known]
    return alt.hconcat(*panels, spacing=24)


def _panel(alt: Any, rows: Rows, names: list[str], measure: str, side: int, *, first: bool) -> Any:
    bars = [
        {"broker": str(row["broker"]), "state": state, "value": row[column]}
        for row in rows
        for column, state in zip(MEASURES[measure], STATES.values(), strict=True)
    ]
    axis = {} if first else {"labels": False, "ticks": False}
    return (
        alt.Chart(of(bars))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=measure).axis(tickCount=3, format="~s"),
            y=alt.Y("broker:N", sort=names, title="broker" if first else None).axis(**axis),
            yOffset=alt.YOffset("state:N", sort=[*STATES.values()]),
            color=coloured_by_state(),
        )
        .properties(width=side, height=BAR * len(names))
    )


def _change(row: Any) -> float:
    return float(abs(row["replicas"] - row["planned"]))


def _is_known(rows: Rows, measure: str) -> bool:
    return all(row.get(column) is not None for row in rows for column in MEASURES[measure])


def tell(rows: Rows) -> str:
    """From and to of each measure, and how many brokers aren't drawn."""
    said = []
    for name, columns in MEASURES.items():
        if _is_known(rows, name):
            ends = [f"{min(v):,} to {max(v):,}" for v in ([r[c] for r in rows] for c in columns)]
            said.append(f"{name} of a broker range from {ends[0]} now, from {ends[1]} in the plan")
    sentence = "; ".join(said)
    more = f" {MOST} of {len(rows)} brokers are drawn." if len(rows) > MOST else ""
    return f"{sentence[0].upper()}{sentence[1:]}.{more}"


BROKERS = Chart("brokers", "Replicas and leaders of brokers", draw, tell)
"""Rows as `spark.reassign` has them of brokers."""
