"""Files that users write in TOML: reading them, and telling all that is wrong with one."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any

from spark.errors import InputError
from spark.files import read_whole
from spark.settings.duration import duration

Rule = Callable[[str, str, Any], Iterator[str]]
"""What may stand behind a key: yields faults of a value, given where the key stands and its name.

Where is empty for the file's own keys, and else ends in a colon and a space.
"""

LARGEST = 1 << 20
"""The bytes of the largest file that is read."""

_KEY = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
LONG_KEY = re.compile(rf"^[ \t]*(?:\[+[ \t]*)?{_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{100}}", re.MULTILINE)
"""A key of more than a hundred parts: what reading one takes grows with their square."""

MAX_NUMBER = 1e100
"""The largest number that settings state, as of weights and capacities."""


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a file states; InputError names `what` it is for when it can't be read.

    A byte order mark, which editors of Windows put first, is passed over.
    """
    text = _text(path, what)
    try:
        if LONG_KEY.search(text):
            raise RecursionError
        values = tomllib.loads(text)
        repr(values)  # faults quote what is stated
        return values
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{what} {path} is not TOML: {error}") from None
    except (RecursionError, ValueError):
        raise InputError(
            f"{what} {path} can't be read: tables are nested too deep in it, or a number has too "
            "many digits"
        ) from None


def _text(path: Path, what: str) -> str:
    try:
        return read_whole(path, LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{what} {path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{what} {path} is not UTF-8: save it with that encoding") from None


def read_checked(path: Path, what: str, rules: Mapping[str, Rule]) -> dict[str, Any]:
    """What a file states, by these rules for its keys; InputError tells all that is wrong."""
    settings = read_toml(path, what)
    if faults := list(faults_of(settings, rules)):
        raise InputError(f"{what} {path}: {'; '.join(faults)}")
    return settings


def faults_of(
    table: Mapping[str, Any],
    rules: Mapping[str, Rule],
    where: str = "",
    required: Collection[str] = (),
) -> Iterator[str]:
    """What is wrong with the keys of a table."""
    for key, value in table.items():
        if key in rules:
            yield from rules[key](where, key, value)
        else:
            are = "are" if len(rules) > 1 else "is"
            yield f"{where}unknown key {key!r} (known {are} {', '.join(rules)})"
    for key in required:
        if key not in table:
            yield f"{where}{key} is missing"


def value(fits: Callable[[Any], bool], wanted: str) -> Rule:
    """A value of which `fits` says whether it will do, and `wanted` what it must be."""

    def rule(where: str, key: str, actual: Any) -> Iterator[str]:
        if not fits(actual):
            yield f"{where}{key} is {actual!r} and must be {wanted}"

    return rule


def table(rules: Mapping[str, Rule], required: Collection[str] = ()) -> Rule:
    """A table headed [key]."""

    def rule(where: str, key: str, actual: Any) -> Iterator[str]:
        if isinstance(actual, dict):
            yield from faults_of(actual, rules, f"{where}{key}: ", required)
        else:
            yield f"{where}{key} must be a table"

    return rule


def tables(rules: Mapping[str, Rule], required: Collection[str] = ()) -> Rule:
    """Any number of tables, each headed [[key]]."""

    def rule(where: str, key: str, actual: Any) -> Iterator[str]:
        if not isinstance(actual, list) or not all(isinstance(each, dict) for each in actual):
            yield f"{where}{key} must be tables, each headed [[{key}]]"
            return
        for number, each in enumerate(actual, start=1):
            yield from faults_of(each, rules, f"{where}[[{key}]] number {number}: ", required)

    return rule


def names_among(names: Collection[str]) -> Rule:
    """A list of some names."""

    def rule(where: str, key: str, actual: Any) -> Iterator[str]:
        if not isinstance(actual, list):
            yield f"{where}{key} must be a list of names"
            return
        for name in actual:
            if name not in names:
                yield f"{where}{key} has {name!r}, which is none of {', '.join(names)}"

    return rule


def one_of(names: Collection[str]) -> Rule:
    """One name of those that are known."""
    return value(
        lambda result: isinstance(result, str) and result in names, f"one of {', '.join(names)}"
    )


def is_number(actual: Any, least: float = -inf) -> bool:
    """Whether it is a number up to `MOST`, and not below `least`."""
    return (
        isinstance(actual, int | float)
        and not isinstance(actual, bool)
        and abs(actual) <= MAX_NUMBER
        and actual >= least
    )


def is_whole(actual: Any, least: int) -> bool:
    return is_number(actual, least) and isinstance(actual, int)


PATTERN = value(
    lambda result: isinstance(result, str) and result != "", "a pattern such as 'payments-*'"
)
MILLISECONDS = value(lambda result: is_whole(result, 1), "a whole number of milliseconds")


def _is_duration(result: Any) -> bool:
    try:
        return bool(duration(result)) or True
    except (TypeError, ValueError):
        return False


DURATION = value(_is_duration, "a whole number and s, m, h or d, such as '24h'")
