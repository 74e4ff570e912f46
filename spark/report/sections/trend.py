"""How the fleet developed: one line a measure, all on one time axis."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from optimizer.figures import figure, plural
from spark.fleet import PLANNED, time_of
from spark.report.material import Material, Rows

MEASURES = {
    "uneven": "groups with excess",
    "excess": "partitions above the best",
    "lag": "lag of all groups (records)",
    "generations": "rebalances",
}

WIDTH, HEIGHT = 1000, 100
"""Of a line, in units of its own: it is stretched to the width that there is."""

LEAST, MAX_POINTS = 3, 200
"""Snapshots of a trend: two are compared by the numbers at the top, and no eye tells apart more."""

MARKS = 6
"""Marks of an axis, at most."""

HOURS = (1, 3, 6, 12, *(24 * days for days in (1, 2, 3, 7, 14, 28, 91, 364)))
"""Hours that may lie between two marks."""


def trend(material: Material) -> dict[str, Any] | None:
    """A line a measure, and marks of days or hours; nothing without a history."""
    rows, now = _thin_out(material.trend), material.now
    if len(rows) < LEAST:
        return None
    columns = {key: [row.get(key) for row in rows] for key in MEASURES}
    measured = {key: numbers for key, numbers in columns.items() if {*numbers} != {None}}
    shares = _shares(rows)
    return {
        "lines": [_line(MEASURES[key], numbers, shares) for key, numbers in measured.items()],
        "marks": _marks(rows),
        "last": _minute(rows[-1]["instant"]),
        "ends_apart": (now["lag"] or 0) + (now["abandoned"] or 0) != (rows[-1]["lag"] or 0),
        "data": {
            "instants": [_minute(row["instant"]) for row in rows],
            "shares": shares,
            "values": [*measured.values()],
        },
    }


def _thin_out(rows: Rows) -> Rows:
    """`MAX_POINTS` rows at most, evenly spaced up to the last; each has the rebalances up to it."""
    step = -(-len(rows) // MAX_POINTS)
    if step < 2:
        return rows
    ends = range((len(rows) - 1) % step, len(rows), step)
    steps = ((rows[at], rows[max(0, at - step + 1) : at + 1]) for at in ends)
    return [{**last, "generations": sum(r["generations"] for r in of)} for last, of in steps]


def _shares(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    """Where each snapshot is between the first and the last one."""
    times = [_seconds(row) for row in rows]
    return [round((time - times[0]) / (times[-1] - times[0] or 1), 4) for time in times]


def _seconds(row: Mapping[str, Any]) -> float:
    return datetime.fromisoformat(row["instant"]).timestamp()


def _marks(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Full hours or days, at equal distances: of a day its date, else its time."""
    first, last = _seconds(rows[0]), _seconds(rows[-1])
    steps = (3600 * hours for hours in HOURS)
    step = next((step for step in steps if (last - first) / step <= MARKS), last - first + 1)
    times = [(first // step + at) * step for at in range(MARKS + 2)]
    return [
        {
            "share": round((time - first) / (last - first or 1), 4),
            "text": f"{datetime.fromtimestamp(time, UTC):{'%H:%M' if time % 86_400 else '%d %b'}}",
        }
        for time in times
        if first <= time <= last
    ]


def _line(label: str, numbers: Sequence[Any], shares: Sequence[float]) -> dict[str, Any]:
    figures = [value for value in numbers if value is not None]
    ends = {"first": short_number(figures[0]), "last": short_number(figures[-1])}
    line = _points(numbers, shares)
    return {"label": label, "line": line, "most": short_number(max(figures))} | ends


def _points(numbers: Sequence[float | None], shares: Sequence[float]) -> str | None:
    """Points of a polyline from the left to the right; None for fewer than two numbers."""
    points = [
        (share, value) for share, value in zip(shares, numbers, strict=True) if value is not None
    ]
    if len(points) < 2:
        return None
    most = max(value for _, value in points) or 1
    return " ".join(
        f"{share * WIDTH:.0f},{HEIGHT - 3 - (HEIGHT - 6) * value / most:.0f}"
        for share, value in points
    )


def _minute(instant: str) -> str:
    return instant[:16].replace("T", " ")


STALE = 2 * 86_400
"""Seconds from which on a snapshot is shown as trouble."""

NUMBERS = (
    ("uneven", "Groups to even out", "a member has more to do than in the best plan"),
    ("idle", "Idle members that could have work", "no partition now, some in the plan"),
    ("lag", "Lag (records)", "records that groups with members have not read yet"),
)


def strip(material: Material) -> dict[str, Any]:
    """Date and age, clusters, and numbers with their change since the snapshot before."""
    taken = time_of(material.snapshot)
    made = datetime.strptime(material.made_at, "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    age = (made - taken).total_seconds() if taken else None
    return {
        "taken": taken and taken.isoformat(),
        "when": f"{taken:%d %B %Y, %H:%M} UTC" if taken else material.snapshot,
        "age": None if age is None else age_text(age),
        "stale": age is not None and age >= STALE,
        "numbers": [_number(material, *number) for number in NUMBERS],
        "size": f"{plural(material.now['groups'], 'group')}, "
        f"{plural(material.now['members'], 'member')}{_growth(material)}",
    }


def age_text(seconds: float) -> str:
    """`5 minutes old`, `3 hours old`, `2 days old`."""
    for size, noun in ((86_400, "day"), (3_600, "hour")):
        if seconds >= size:
            return f"{plural(int(seconds // size), noun)} old"
    return f"{plural(max(0, int(seconds // 60)), 'minute')} old"


def short_number(value: Any) -> str:
    """A large number in four digits; `unknown` without one."""
    if value is None:
        return "unknown"
    for size, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if value >= size:
            return f"{figure(value / size)} {name}"
    return figure(value)


def _number(material: Material, key: str, label: str, meaning: str) -> dict[str, Any]:
    now = material.now[key]
    before = material.before[key] if material.before else None
    more = material.now["abandoned"] if key == "lag" else None
    judged = sum(material.statuses.get(status, 0) for status in PLANNED)
    return {
        "key": key,
        "label": label,
        "value": short_number(now),
        "of": f" of {judged:,}" if key == "uneven" else "",
        "meaning": meaning,
        "more": f"{short_number(more)} more in groups without members" if more else "",
        "change": _change(now, before),
        "worse": None not in (now, before) and now > before,
    }


def _change(now: int | None, before: int | None) -> str:
    if now is None or before is None:
        return "no earlier snapshot to compare with"
    if now == before:
        return "unchanged since the snapshot before"
    sign = "+" if now > before else "−"
    return f"{sign}{short_number(abs(now - before))} since the snapshot before"


def _growth(material: Material) -> str:
    if not material.before:
        return ""
    groups, members = (material.before[key] for key in ("groups", "members"))
    return f" (snapshot before: {plural(groups, 'group')}, {plural(members, 'member')})"
