"""The product's own settings, from a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from optimizer.strategies import STRATEGIES
from spark.errors import InputError


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
        spark={key: str(value) for key, value in stated.get("spark", {}).items()},
    )


def _faults(key: str, value: Any) -> list[str]:
    known = [setting.name for setting in fields(Settings)]
    if key not in known:
        return [f"unknown key {key!r} (known are {', '.join(known)})"]
    if key == "strategy" and value not in STRATEGIES:
        return [f"strategy {value!r} is none of {', '.join(STRATEGIES)}"]
    if key == "strategies" and not isinstance(value, list):
        return ["strategies must be a list of names"]
    if key == "spark" and not isinstance(value, dict):
        return ["spark must be a table of Spark settings"]
    return []
