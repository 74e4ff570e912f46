"""Who has how much of which topic in one group, now and planned."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import FOUND, altair, labels, of

MAX_DRAWN = 40
"""Members and topics that are drawn: those with the most partitions that move."""

CELL = 26


def draw(rows: Rows) -> Any:
    """Two tables of members × topics side by side; what changes has a frame."""
    alt = altair()
    cells = shown(rows)
    topics, members = (labels(row[key] for row in cells) for key in ("topic", "member"))
    data = [
        {
            **{"topic": topics[row["topic"]], "member": members[row["member"]]},
            **{"now": row["current"], "planned": row["planned"]},
            "changed": row["current"] != row["planned"],
        }
        for row in cells
    ]
    most = max((max(row["current"], row["planned"]) for row in cells), default=1)
    panels = [_panel(alt, data, side, most, at) for at, side in enumerate(SIDES)]
    drawn = alt.hconcat(*panels, spacing=16)
    return drawn


SIDES = ("now", "planned")


def _panel(alt: Any, data: list[dict[str, Any]], side: str, most: int, at: int) -> Any:
    base = alt.Chart(of(data)).encode(
        x=alt.X("topic:N", title=None, sort=None).axis(labelAngle=-40),
        y=alt.Y("member:N", title=None, sort=None).axis(
            **({} if at == 0 else {"labels": False, "ticks": False})
        ),
    )
    colour = alt.Color(f"{side}:Q", legend=None).scale(
        domain=[0, most], range=["#0a84c611", "#0a84c6"]
    )
    frame = alt.when("datum.changed").then(alt.value(FOUND)).otherwise(alt.value("transparent"))
    squares = base.mark_rect(strokeWidth=2).encode(color=colour, stroke=frame)
    numbers = base.mark_text(fontSize=11).encode(text=alt.Text(f"{side}:Q"))
    return (squares + numbers).properties(
        title=f"topics {side}", width=alt.Step(CELL + 8), height=alt.Step(CELL)
    )


def shown(rows: Rows) -> Rows:
    """Those of the members and topics that change most, where there are too many to draw."""
    kept = {key: _most_changed(rows, key) for key in ("member", "topic")}
    return [row for row in rows if all(row[key] in kept[key] for key in kept)]


def _most_changed(rows: Rows, key: str) -> set[str]:
    changed: dict[str, int] = {}
    for row in rows:
        changed[row[key]] = changed.get(row[key], 0) + abs(row["current"] - row["planned"])
    return {*sorted(changed, key=lambda name: (-changed[name], name))[:MAX_DRAWN]}


MATRIX = Chart("matrix", "Partitions of each topic by member, now and planned", draw)
"""Rows: `member`, `topic`, partitions as `found` and as `planned`."""
