"""Lengths of time in events: `30s`, `10m`, `1.5s`, `500ms`, `5m20s`."""

import re
from math import isfinite

from optimizer.scenarios.event import EventError

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}

MOST_SECONDS = 30 * 86_400

_PARTS = (rf"(?:(\d{{1,9}}(?:\.\d{{1,6}})?){unit})?" for unit in reversed(UNITS))
_LENGTH = re.compile("".join(_PARTS), re.ASCII)


def seconds_of(text: str) -> float:
    """The seconds of numbers and units (d, h, m, s, ms), in this order; EventError if none."""
    parts = _LENGTH.fullmatch(text.strip())
    if not parts or not any(parts.groups()):
        raise EventError(f"{text!r} is not a duration (for example 30s or 10m)")
    pairs = zip(parts.groups("0"), reversed(UNITS), strict=True)
    return round(sum(float(number) * UNITS[unit] for number, unit in pairs), 6)


def seconds_to_text(seconds: float) -> str:
    """What `seconds_of` reads as that many seconds, in the largest unit that fits."""
    whole = [unit for unit in ("s", "m", "h", "d") if seconds and not seconds % UNITS[unit]]
    unit = whole[-1] if whole else "s"
    text = f"{seconds / UNITS[unit]:.6f}".rstrip("0").rstrip(".")
    return f"{text}{unit}"


def check_seconds(what: str, seconds: object) -> float:
    """A length of time in an event, as a float; EventError unless it is 0 s to 30 days."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds):
        raise EventError(f"{what} is {seconds!r}, which is not a number of seconds")
    if seconds < 0:
        raise EventError(f"{what} of {seconds:g} s is negative")
    if seconds > MOST_SECONDS:
        raise EventError(f"{what} of {seconds:g} s is longer than 30 days")
    return float(seconds)


def check_some_seconds(what: str, seconds: object) -> float:
    """The same; EventError for no time at all."""
    if not (checked := check_seconds(what, seconds)):
        raise EventError(f"{what} is 0 s and must be longer, such as 30s")
    return checked
