"""Words for people, the same in all rooms: numbers as they read them, names that they meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from math import isnan
from numbers import Integral

NO_FIGURE = "–"

SIMILARITY = 0.7
"""How alike two names are of which one may be a slip for the other, of 1 (`difflib`)."""

UNITS = {"d": 86_400, "h": 3_600, "min": 60}
"""Seconds of each unit of time, the longest first."""


def figure(value: float | None) -> str:
    """`12,345` for whole numbers, four digits of others: `4.133`, `0.05`, `3,161`; `–` for none."""
    if value is None or isnan(value):
        return NO_FIGURE
    exact = isinstance(value, Integral) or abs(value) >= 999.95
    return f"{value:,.0f}" if exact else f"{value:.4g}"


def plural(number: int, noun: str) -> str:
    """`1 move`, `2 moves`, `1,200 moves`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def data_size(size: float) -> str:
    """Bytes in three digits: `1.00 MB`, `12.5 GB`, `850 B`."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5 or unit == "GB":
            break
        size /= 1000
    digits = 0 if unit == "B" or size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{size:,.{digits}f} {unit}"


def duration(seconds: float) -> str:
    """A time in its largest unit, in two digits or whole: `54 s`, `1.5 min`, `9.4 h`, `12 d`."""
    for unit, length in UNITS.items():
        if seconds >= length:
            return f"{short_figure(seconds / length)} {unit}"
    return f"{short_figure(seconds)} s"


def partition_time(seconds: float) -> str:
    """Seconds summed over partitions, in hours where they are many: `9.4 partition-hours`."""
    if seconds >= UNITS["h"]:
        return f"{short_figure(seconds / UNITS['h'])} partition-hours"
    return f"{short_figure(seconds)} partition-seconds"


def short_figure(value: float) -> str:
    """`9.4` and `0.5` below ten, `12,345` from there on."""
    return f"{value:,.0f}" if round(value, 1) >= 10 else f"{round(value, 1):g}"


def nearest_name(name: object, names: Iterable[str], alike: float = SIMILARITY) -> str | None:
    """The name that is most like this one; None where none is as `alike`."""
    near = get_close_matches(name, [*names], 1, alike) if isinstance(name, str) else []
    return near[0] if near else None


def did_you_mean(name: object, names: Iterable[str], alike: float = SIMILARITY) -> str:
    """`; did you mean orders?` for the end of a sentence, or nothing."""
    near = nearest_name(name, names, alike)
    return f"; did you mean {near}?" if near else ""
