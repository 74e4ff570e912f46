"""Lengths of time as users write them: `24h`, `5m20s`."""

import re
from datetime import timedelta

from spark.errors import InputError

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

_PARTS = (rf"(?:(?P<{name}>\d{{1,6}}){unit})?" for unit, name in reversed(UNITS.items()))
_DURATION = re.compile("(?=.)" + "".join(_PARTS), re.ASCII)


def duration(text: str) -> timedelta:
    """The time that whole numbers and units say (d, h, m, s in this order); ValueError if none."""
    parts = _DURATION.fullmatch(text)
    if not parts:
        raise ValueError(f"{text!r} is not a duration (for example 24h)")
    return timedelta(**{name: int(number) for name, number in parts.groupdict("0").items()})


def in_words(length: timedelta) -> str:
    """Whole seconds as `duration` reads them, in the largest unit that fits."""
    fits = [unit for unit in UNITS if not length % timedelta(**{UNITS[unit]: 1})]
    return f"{length // timedelta(**{UNITS[fits[-1]]: 1})}{fits[-1]}"


def window_length(window: timedelta | str) -> timedelta:
    """How long a window is, in whole seconds; InputError for a text or a length that is none."""
    try:
        length = duration(window) if isinstance(window, str) else window
    except ValueError as error:
        raise InputError(f"window: {error}") from None
    seconds = length // timedelta(seconds=1)
    if seconds < 1:
        raise InputError(f"a window of {window} holds no two snapshots: choose a longer one")
    return timedelta(seconds=seconds)
