"""Files that users write in TOML."""

import re
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

from spark.errors import InputError
from spark.store import read_whole

LARGEST = 1 << 20
"""The bytes of the largest file that is read."""

_KEY = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
LONG_KEY = re.compile(rf"^[ \t]*(?:\[+[ \t]*)?{_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{100}}", re.MULTILINE)
"""A key of more than a hundred parts: what reading one takes grows with their square."""


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Values of a file; InputError names `what` it is for when it can't be read.

    A byte order mark, which editors of Windows put first, is passed over.
    """
    try:
        text = read_whole(path, LARGEST).decode("utf-8-sig")
        if LONG_KEY.search(text):
            raise RecursionError
        document = tomllib.loads(text)
        repr(document)  # faults quote what is stated
        return document
    except OSError as error:
        raise InputError(f"{what} {path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{what} {path} is not UTF-8: save it with that encoding") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{what} {path} is not TOML: {error}") from None
    except (RecursionError, ValueError):
        raise InputError(
            f"{what} {path} can't be read: tables are nested too deep in it, or a number has too "
            "many digits"
        ) from None


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
