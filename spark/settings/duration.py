"""Lengths of time as users write them: `24h`."""

import re
from datetime import timedelta
from typing import Any

from spark.errors import InputError
from spark.settings.toml_file import value

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

_DURATION = re.compile(r"(\d{1,6})([smhd])", re.ASCII)


def duration(text: str) -> timedelta:
    """The length of time that a whole number and a unit (s, m, h, d) say; ValueError if none."""
    found_text = _DURATION.fullmatch(text)
    if not found_text:
        raise ValueError(f"{text!r} is not a duration (for example 24h)")
    return timedelta(**{UNITS[found_text[2]]: int(found_text[1])})


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


def _is_duration(result: Any) -> bool:
    return isinstance(result, str) and _DURATION.fullmatch(result) is not None


DURATION = value(_is_duration, "a whole number and s, m, h or d, such as '24h'")
