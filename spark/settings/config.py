"""The product's own settings, from a TOML file."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from optimizer import OPTIMAL, STRATEGIES
from spark.errors import InputError
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    FleetGoals,
    faults_of_goals,
    faults_of_rules,
    read_goals,
)
from spark.settings.strategies import CURRENT, STRATEGY_SECONDS
from spark.settings.toml_file import read_toml

TABLES = {"goals": "goals", "group": "goals", "traffic": "price_per_gb"}
"""Tables of the file that are settings by another name."""


@dataclass(frozen=True)
class Settings:
    """What commands do where no option says otherwise; an empty file gives these defaults.

    `strategy` is what `plan` uses, `strategies` what `compare` compares (empty: the assignment as
    found, and every strategy), `spark` are settings of the Spark session. `strategy_seconds` is how
    much processor time a strategy may spend on one group before that is `failed`.
    `goals` are those of `optimal`, by group. `price_per_gb` is what 10⁹ bytes between two racks
    cost; 0: money isn't shown.
    """

    strategy: str = OPTIMAL
    strategies: tuple[str, ...] = ()
    strategy_seconds: float = STRATEGY_SECONDS
    goals: FleetGoals = DEFAULT_FLEET_GOALS
    price_per_gb: float = 0.0
    spark: dict[str, str] = field(default_factory=dict)


def read_settings(path: Path | None) -> Settings:
    """Settings of a file, or the defaults; InputError lists unknown and mistyped keys at once."""
    if path is None:
        return Settings()
    stated = read_toml(path, "configuration")
    faults = [fault for key, value in stated.items() for fault in _faults(key, value)]
    if faults:
        raise InputError(f"configuration {path}: {'; '.join(faults)}")
    return Settings(
        strategy=stated.get("strategy", Settings.strategy),
        strategies=tuple(stated.get("strategies", ())),
        strategy_seconds=stated.get("strategy_seconds", Settings.strategy_seconds),
        goals=read_goals(stated.get("goals", {}), stated.get("group", [])),
        price_per_gb=stated.get("traffic", {}).get("price_per_gb", Settings.price_per_gb),
        spark={key: _as_spark_has_it(value) for key, value in stated.get("spark", {}).items()},
    )


def _faults(key: str, value: Any) -> list[str]:
    names = [setting.name for setting in fields(Settings)]
    known = [name for name in names if name not in TABLES.values()] + list(TABLES)
    if key not in known:
        return [f"unknown key {key!r} (known are {', '.join(known)})"]
    if key == "strategy" and value not in list(STRATEGIES):
        return [f"strategy {value!r} is none of {', '.join(STRATEGIES)}"]
    if key == "strategies":
        return _faults_of_strategies(value)
    if key == "strategy_seconds" and not _is_positive(value):
        return [f"strategy_seconds is {value!r} and must be a number above 0"]
    return _faults_of_table(key, value)


def _faults_of_table(key: str, value: Any) -> list[str]:
    if key == "goals":
        return list(faults_of_goals(value))
    if key == "group":
        return list(faults_of_rules(value))
    if key == "traffic":
        return _faults_of_traffic(value)
    return _faults_of_spark(value) if key == "spark" else []


def _faults_of_traffic(value: Any) -> list[str]:
    if not isinstance(value, dict):
        return ["traffic must be a table"]
    faults = [
        f"unknown key traffic.{key} (known is price_per_gb)"
        for key in value
        if key != "price_per_gb"
    ]
    price = value.get("price_per_gb", 0)
    if not isinstance(price, int | float) or isinstance(price, bool) or not 0 <= price < math.inf:
        faults.append("traffic.price_per_gb must be a number of 0 or more")
    return faults


def _is_positive(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value > 0


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
