"""The top of the page: how old the snapshot is, its clusters, and three numbers that matter."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from optimizer.figures import counted, figure
from spark.report.material import Material
from spark.report.sections.trend import spark_line

STALE = 2 * 86_400
"""Seconds from which on a snapshot is shown as trouble."""

NUMBERS = (
    ("uneven", "Groups to even out", "a member has more partitions than in the best plan"),
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
    line = spark_line([row.get(key) for row in material.trend]) if key == "lag" else None
    return {
        "key": key,
        "label": label,
        "value": short_number(now),
        "of": f" of {material.now['groups']:,}" if key == "uneven" else "",
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
