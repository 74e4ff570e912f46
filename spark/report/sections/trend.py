"""How the fleet developed: one sparkline a measure, all on one time axis."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from optimizer.figures import counted, figure
from spark.fleet import PLANNED
from spark.report.material import Material

MEASURES = {
    "uneven": "groups to even out",
    "excess": "partitions above the best",
    "lag": "lag (records)",
    "generations": "rebalances",
}

WIDTH, HEIGHT = 300, 40
"""Of a sparkline, in units of its own: it is stretched to the width that there is."""


def trend(material: Material) -> dict[str, Any]:
    """A line a measure, or how to get a history."""
    rows = material.trend
    if len(rows) < 2:
        return {"lines": []}
    columns = {key: [row.get(key) for row in rows] for key in MEASURES}
    entries = {key: values for key, values in columns.items() if any(map(_is_known, values))}
    lag = rows[-1]["lag"]
    return {
        "lines": [_line(MEASURES[key], values) for key, values in entries.items()],
        "first": _minute(rows[0]["instant"]),
        "last": _minute(rows[-1]["instant"]),
        "ends_apart": material.now["lag"] != lag,
        "data": {
            "instants": [_minute(row["instant"]) for row in rows],
            "values": [*entries.values()],
        },
    }


def _is_known(value: Any) -> bool:
    return value is not None


def _line(label: str, values: Sequence[Any]) -> dict[str, Any]:
    most = max(filter(_is_known, values))
    ends = {"first": values[0], "last": values[-1], "most": most}
    return {"label": label, "line": spark_line(values)} | ends


def spark_line(values: Sequence[float | None]) -> str | None:
    """Points of a polyline from the left to the right; None for fewer than two values."""
    entries = [(at, value) for at, value in enumerate(values) if value is not None]
    if len(entries) < 2:
        return None
    most = max(value for _, value in entries) or 1
    step = WIDTH / (len(values) - 1)
    return " ".join(
        f"{at * step:.1f},{HEIGHT - 1 - (HEIGHT - 3) * value / most:.1f}" for at, value in entries
    )


def _minute(instant: str) -> str:
    return instant[:16].replace("T", " ")


STALE = 2 * 86_400
"""Seconds from which on a snapshot is shown as trouble."""

NUMBERS = (
    ("uneven", "Groups to even out", "a member has more to do than in the best plan"),
    ("idle", "Idle members that could have work", "no partition now, some in the plan"),
    ("lag", "Lag (records)", "records that the groups have not read yet"),
)


def strip(material: Material) -> dict[str, Any]:
    """Date and age, clusters, and numbers with their change since the snapshot before."""
    taken = _time_of(material.snapshot, "%Y%m%dT%H%M%SZ")
    made = _time_of(material.made_at, "%Y-%m-%d %H:%M UTC")
    age = (made - taken).total_seconds() if taken and made else None
    return {
        "taken": taken and taken.isoformat(),
        "when": f"{taken:%d %B %Y, %H:%M} UTC" if taken else material.snapshot,
        "age": None if age is None else age_text(age),
        "stale": age is not None and age >= STALE,
        "numbers": [_number(material, *number) for number in NUMBERS],
        "size": f"{counted(material.now['groups'], 'group')}, "
        f"{counted(material.now['members'], 'member')}{_grown(material)}",
    }


def age_text(seconds: float) -> str:
    """`5 minutes old`, `3 hours old`, `2 days old`."""
    for size, noun in ((86_400, "day"), (3_600, "hour")):
        if seconds >= size:
            return f"{counted(int(seconds // size), noun)} old"
    return f"{counted(max(0, int(seconds // 60)), 'minute')} old"


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
    judged = sum(material.statuses.get(status, 0) for status in PLANNED)
    line = spark_line([row.get(key) for row in material.trend]) if key == "lag" else None
    return {
        "key": key,
        "label": label,
        "value": short_number(now),
        "of": f" of {judged:,}" if key == "uneven" else "",
        "meaning": meaning,
        "change": _change(now, before),
        "worse": None not in (now, before) and now > before,
        "line": line,
    }


def _change(now: int | None, before: int | None) -> str:
    if now is None or before is None:
        return "no earlier snapshot to compare with"
    if now == before:
        return "unchanged since the snapshot before"
    sign = "+" if now > before else "−"
    return f"{sign}{short_number(abs(now - before))} since the snapshot before"


def _grown(material: Material) -> str:
    if not material.before:
        return ""
    groups, members = (material.before[key] for key in ("groups", "members"))
    return f" (snapshot before: {counted(groups, 'group')}, {counted(members, 'member')})"


def _time_of(text: str, form: str) -> datetime | None:
    with suppress(ValueError):
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    return None
