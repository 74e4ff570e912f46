"""Charts of one group."""

from typing import Any

from spark.charts.drawing import BAR, FOUND, PLANNED, SERIES, WIDTH, Chart, Rows, altair, labels, of


def _frontier(rows: Rows) -> Any:
    """A step for each largest load at the fewest moves that reach it; the knee has a ring.

    By weight there is a dashed line below, the lower bound of each number of moves.
    """
    alt = altair()
    load, title = ("max_weight", "weight") if _is_by_weight(rows) else ("max_load", "partitions")
    base = alt.Chart(of(rows)).encode(
        x=alt.X("moves:Q", title="moves (partitions)").axis(tickMinStep=1),
        y=alt.Y(f"{load}:Q", title=f"largest load ({title})").scale(zero=False),
    )
    stairs = base.mark_line(interpolate="step-after", color=PLANNED)
    dots = base.mark_point(filled=True, size=36, color=PLANNED, opacity=1)
    knee = base.transform_filter("datum.knee").mark_point(size=180, strokeWidth=2, color=FOUND)
    drawn = stairs + dots + knee
    if _is_by_weight(rows):
        bound = base.encode(y="weight_bound:Q")
        drawn += bound.mark_line(interpolate="step-after", strokeDash=[4, 3], color=FOUND)
    return drawn.properties(width=WIDTH, height=180)


def _is_by_weight(rows: Rows) -> bool:
    return "max_weight" in rows[0]


FRONTIER = Chart("frontier", "The fewest moves for each largest load", _frontier)
"""Rows in order of `moves`: the `max_load` (partitions) that they reach; one is the `knee`.

By weight `max_weight` was found, and with so few moves no plan is below `weight_bound`.
"""

MAX_DRAWN = 40
"""Members and topics that are drawn: those with the most partitions that move."""

CELL = 26


def _matrix(rows: Rows) -> Any:
    """Two tables of members × topics side by side; what changes has a frame."""
    alt = altair()
    cells = _most(rows)
    topics, members = (labels(row[key] for row in cells) for key in ("topic", "member"))
    shown = [
        {
            **{"topic": topics[row["topic"]], "member": members[row["member"]]},
            **{"now": row["current"], "planned": row["planned"]},
            "changed": row["current"] != row["planned"],
        }
        for row in cells
    ]
    most = max((max(row["current"], row["planned"]) for row in cells), default=1)
    panels = [_table(alt, shown, side, most, at) for at, side in enumerate(SIDES)]
    return alt.hconcat(*panels, spacing=16)


SIDES = ("now", "planned")


def _table(alt: Any, cells: list[dict[str, Any]], side: str, most: int, at: int) -> Any:
    base = alt.Chart(of(cells)).encode(
        x=alt.X("topic:N", title=None, sort=None).axis(labelAngle=-40),
        y=alt.Y("member:N", title=None, sort=None).axis(
            **({} if at == 0 else {"labels": False, "ticks": False})
        ),
    )
    colour = alt.Color(f"{side}:Q", legend=None).scale(
        domain=[0, most], range=[f"{PLANNED}11", PLANNED]
    )
    frame = alt.when("datum.changed").then(alt.value(FOUND)).otherwise(alt.value("transparent"))
    squares = base.mark_rect(strokeWidth=2).encode(color=colour, stroke=frame)
    numbers = base.mark_text(fontSize=11).encode(text=alt.Text(f"{side}:Q"))
    return (squares + numbers).properties(
        title=f"topics {side}", width=alt.Step(CELL + 8), height=alt.Step(CELL)
    )


def _most(rows: Rows) -> Rows:
    """Members and topics that change most, where there are too many to draw."""
    kept = {key: _most_changed(rows, key) for key in ("member", "topic")}
    return [row for row in rows if all(row[key] in kept[key] for key in kept)]


def _most_changed(rows: Rows, key: str) -> set[str]:
    changed: dict[str, int] = {}
    for row in rows:
        changed[row[key]] = changed.get(row[key], 0) + abs(row["current"] - row["planned"])
    return {*sorted(changed, key=lambda name: (-changed[name], name))[:MAX_DRAWN]}


MATRIX = Chart("matrix", "Partitions of each topic by member, now and planned", _matrix)
"""Rows: `member`, `topic`, partitions `now` and `planned`."""

UNREAD = "(unread)"
"""The lane of what nobody reads."""


def _timeline(rows: Rows) -> Any:
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
    waits = [
        {
            **row,
            "member": names[row["member"]],
            "full": 0.25 + 0.75 * row["partitions"] / most[row["member"] is not None],
        }
        for row in rows
        if row["partitions"]
    ]
    lanes = [*names.values()]
    base = alt.Chart(of(waits)).encode(
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


TIMELINE = Chart(
    "timeline", "Partitions of each member over time, and those nobody reads", _timeline
)
"""Rows: `member` (None: nobody), from `start` to `end` (seconds), and its `partitions`.

Rows with `lag` instead: records behind `at` a second, with lines between."""

PANELS = ("members", "lag")
"""Panels in which each policy has lines of its own."""

TITLES = {
    "members": ["members", "(paid)"],
    "lag": ["lag", "(records)"],
    "arrivals": ["arrivals", "(records a second)"],
}


def _scaling(rows: Rows) -> Any:
    """A line a policy in each panel; arrivals are the same for all."""
    alt = altair()
    names = labels(row["policy"] for row in rows)
    shown = [{**row, "policy": names[row["policy"]]} for row in rows]
    first = [row for row in shown if row["policy"] == shown[0]["policy"]]
    of_policies = (_course(alt, shown, measure, [*names.values()]) for measure in PANELS)
    panels = [*of_policies, _course(alt, first, "arrivals", None)]
    return alt.vconcat(*panels, spacing=8).resolve_scale(x="shared")


def _course(alt: Any, rows: Rows, measure: str, policies: list[str] | None) -> Any:
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


SCALING = Chart("scaling", "Members, lag and arrivals under each policy", _scaling)
"""Rows of one group in order of time: `policy`, `instant` (ISO 8601), `members`, `lag` in records,
`arrivals` in records a second."""
