"""Numbers as people read them: in tables, sentences, reports and notebooks alike."""

from math import isnan
from numbers import Integral

NO_FIGURE = "–"

UNITS = {"d": 86_400, "h": 3_600, "min": 60}
"""Seconds of each unit of time, the longest first."""


def figure(value: float | None) -> str:
    """`12,345` for whole numbers, four digits of others: `4.133`, `0.05`, `3,161`; `–` for none."""
    if value is None or isnan(value):
        return NO_FIGURE
    exact = isinstance(value, Integral) or abs(value) >= 999.95
    return f"{value:,.0f}" if exact else f"{value:.4g}"


def counted(number: int, noun: str) -> str:
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
    """A time in its largest unit: `54 s`, `1.5 min`, `3.412 h`, `2 d`."""
    for unit, length in UNITS.items():
        if seconds >= length:
            return f"{figure(seconds / length)} {unit}"
    return f"{seconds:.0f} s"
