"""The product's own settings, from a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from optimizer.strategies import STRATEGIES
from spark.errors import InputError
from spark.solve import CURRENT


@dataclass(frozen=True)
class Settings:
    """What commands do where no option says otherwise; an empty file gives these defaults.

    `strategy` is what `plan` uses, `strategies` what `compare` compares (empty: the assignment as
    found, and every strategy), `spark` are settings of the Spark session.
    """

    strategy: str = "optimal"
    strategies: tuple[str, ...] = ()
    spark: dict[str, str] = field(default_factory=dict)


def read_settings(path: Path | None) -> Settings:
    """Settings of a file, or the defaults; InputError lists unknown and mistyped keys at once."""
    if path is None:
        return Settings()
    try:
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"configuration {path} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"configuration {path} is not TOML: {error}") from None
    faults = [fault for key, value in stated.items() for fault in _faults(key, value)]
    if faults:
        raise InputError(f"configuration {path}: {'; '.join(faults)}")
    return Settings(
        strategy=stated.get("strategy", Settings.strategy),
        strategies=tuple(stated.get("strategies", ())),
        spark={key: _as_spark_has_it(value) for key, value in stated.get("spark", {}).items()},
    )


def _faults(key: str, value: Any) -> list[str]:
    known = [setting.name for setting in fields(Settings)]
    if key not in known:
        return [f"unknown key {key!r} (known are {', '.join(known)})"]
    if key == "strategy" and value not in list(STRATEGIES):
        return [f"strategy {value!r} is none of {', '.join(STRATEGIES)}"]
    if key == "strategies":
        return _faults_of_strategies(value)
    if key == "spark":
        return _faults_of_spark(value)
    return []


def _faults_of_strategies(value: Any) -> list[str]:
    if not isinstance(value, list):
        return ["strategies must be a list of names"]
    known = [CURRENT, *STRATEGIES]
    return [
        f"strategy {name!r} is none of {', '.join(known)}" for name in value if name not in known
    ]


def _faults_of_spark(value: Any) -> list[str]:
    if not isinstance(value, dict):
        return ["spark must be a table of Spark settings"]
    return [
        f"spark setting {key!r} must be a text, a number or true or false (write keys with dots in "
        "quotes)"
        for key, one in value.items()
        if isinstance(one, dict | list)
    ]


def _as_spark_has_it(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
