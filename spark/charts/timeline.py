"""What the members of a group read over time in a scenario."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import BAR, FOUND, PLANNED, WIDTH, altair, labels, of

UNREAD = "(unread)"
"""The lane of what nobody reads."""


def draw(rows: Rows) -> Any:
    """A lane a member, the fuller the more it reads, and one of what nobody reads; lag below."""
    alt = altair()
    lag = [row for row in rows if "lag" in row]
    rows = [row for row in rows if "lag" not in row]
    members = [row["member"] for row in rows if row["member"] is not None]
    names: dict[Any, str] = {**labels(members), None: UNREAD}
    most = {
        is_read: max(
            (row["partitions"] for row in rows if (row["member"] is not None) == is_read), default=1
        )
        for is_read in (True, False)
    }
    data = [
        {
            **row,
            "member": names[row["member"]],
            "full": 0.25 + 0.75 * row["partitions"] / most[row["member"] is not None],
        }
        for row in rows
        if row["partitions"]
    ]
    lanes = [*names.values()]
    base = alt.Chart(of(data)).encode(
        x=alt.X("start:Q", title="time (seconds)"),
        x2="end:Q",
        y=alt.Y("member:N", sort=lanes, title=None).scale(domain=lanes),
    )
    unread = alt.when(f"datum.member === '{UNREAD}'")
    colour = unread.then(alt.value(FOUND)).otherwise(alt.value(PLANNED))
    bars = base.mark_bar(height=BAR * 0.7).encode(
        color=colour, opacity=alt.Opacity("full:Q", scale=None, legend=None)
    )
    lanes_drawn = bars.properties(width=WIDTH, height=BAR * len(lanes))
    if not lag:
        return lanes_drawn
    line = alt.Chart(of(lag)).encode(
        x=alt.X("at:Q", title="time (seconds)"),
        y=alt.Y("lag:Q", title="lag (records)", stack=False),
    )
    drawn_lag = line.mark_area(color=FOUND, opacity=0.6).properties(width=WIDTH, height=BAR * 4)
    return alt.vconcat(lanes_drawn, drawn_lag).resolve_scale(x="shared")


TIMELINE = Chart("timeline", "Partitions of each member over time, and those nobody reads", draw)
"""Rows: `member` (None: nobody), from `start` to `end` (seconds), and its `partitions`.

Rows with `lag` instead: records behind `at` a second, with lines between."""
