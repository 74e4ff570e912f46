"""One group under policies: members, lag and arrivals over one axis of time."""

from typing import Any

from spark.charts.chart import Chart, Rows
from spark.charts.drawing import SERIES, WIDTH, altair, labels, of

PANELS = ("members", "lag")
"""What differs from policy to policy."""

TITLES = {
    "members": ["members", "(paid)"],
    "lag": ["lag", "(records)"],
    "arrivals": ["arrivals", "(records a second)"],
}


def draw(rows: Rows) -> Any:
    """A line a policy in each panel; arrivals are the same for all."""
    alt = altair()
    names = labels(row["policy"] for row in rows)
    shown = [{**row, "policy": names[row["policy"]]} for row in rows]
    first = [row for row in shown if row["policy"] == shown[0]["policy"]]
    of_policies = (_panel(alt, shown, measure, [*names.values()]) for measure in PANELS)
    panels = [*of_policies, _panel(alt, first, "arrivals", None)]
    return alt.vconcat(*panels, spacing=8).resolve_scale(x="shared")


def _panel(alt: Any, rows: Rows, measure: str, policies: list[str] | None) -> Any:
    """A line a policy; without policies one line, which has the axis of time."""
    steps = {} if measure == "lag" else {"interpolate": "step-after"}
    time = alt.X("instant:T", title=None if policies else "time (UTC)").scale(type="utc")
    encoded = {
        "x": time.axis(labels=not policies, format="%d %b %H:%M", tickCount=4),
        "y": alt.Y(f"{measure}:Q", title=TITLES[measure]).axis(tickCount=4, format="~s"),
    }
    if policies:
        colors = [SERIES[at % len(SERIES)] for at in range(len(policies))]
        scale = {"domain": policies, "range": colors}
        encoded["color"] = alt.Color("policy:N", sort=policies).scale(**scale)
    line = alt.Chart(of(rows)).mark_line(color=SERIES[-2], **steps)
    return line.encode(**encoded).properties(width=WIDTH, height=110)


SCALING = Chart("scaling", "Members, lag and arrivals under each policy", draw)
"""Rows of one group in order of time: `policy`, `instant` (ISO 8601), `members`, `lag` in records,
`arrivals` in records a second."""
