"""The product's own settings, from a TOML file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from optimizer import OPTIMAL
from spark.errors import InputError
from spark.fleet import MAX_AGE
from spark.settings.consumers import CONSUMERS_RULE, NO_CONSUMERS, FleetConsumers, read_consumers
from spark.settings.duration import DURATION, duration, in_words
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    GOAL_RULES,
    FleetGoals,
    notes_on_goals,
    read_goals,
)
from spark.settings.rates import (
    DEFAULT_RATE_WEIGHTS,
    RATE_WEIGHTS_RULE,
    RateWeights,
    read_rate_weights,
)
from spark.settings.strategies import COMPARED, PLANNED, STRATEGY_SECONDS
from spark.settings.toml_file import (
    Rule,
    is_number,
    names_among,
    one_of,
    read_checked,
    table,
    value,
)


@dataclass(frozen=True)
class Settings:
    """What commands do where no option says otherwise; an empty file gives these defaults.

    `strategy` is what `plan` uses, `strategies` what `compare` compares (empty: the assignment as
    found, and every strategy), `spark` are settings of the Spark session. `strategy_seconds` is how
    much processor time a strategy may spend on one group before that is `failed`.
    `max_age` is how much older than the newest snapshot that of a cluster may be.
    `goals` are those of `optimal`, by group, and `consumers` say how consumers are configured.
    `price_per_gb` is what 10⁹ bytes between two racks cost; 0: money isn't shown. `weights` tells
    which rates weigh partitions where goals ask for it. `notes` say what of the file
    is read in another way than it says.
    """

    strategy: str = OPTIMAL
    strategies: tuple[str, ...] = ()
    strategy_seconds: float = STRATEGY_SECONDS
    max_age: timedelta = MAX_AGE
    goals: FleetGoals = DEFAULT_FLEET_GOALS
    consumers: FleetConsumers = NO_CONSUMERS
    price_per_gb: float = 0.0
    weights: RateWeights = DEFAULT_RATE_WEIGHTS
    spark: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_settings(path: Path | None) -> Settings:
    """Settings of a file, or the defaults; InputError lists unknown and mistyped keys at once."""
    if path is None:
        return Settings()
    settings = read_checked(path, "configuration", RULES)
    return Settings(
        strategy=settings.get("strategy", Settings.strategy),
        strategies=tuple(settings.get("strategies", ())),
        strategy_seconds=settings.get("strategy_seconds", Settings.strategy_seconds),
        max_age=duration(settings.get("max_age", in_words(Settings.max_age))),
        goals=read_goals(settings.get("goals", {}), settings.get("group", [])),
        consumers=read_consumers(settings.get("consumers", {}), settings.get("group", [])),
        price_per_gb=settings.get("traffic", {}).get("price_per_gb", Settings.price_per_gb),
        weights=read_rate_weights(settings.get("weights", {})),
        spark={key: _as_spark_has_it(item) for key, item in settings.get("spark", {}).items()},
        notes=notes_on_goals(settings.get("goals", {}), settings.get("group", [])),
    )


def _spark_rule(where: str, key: str, result: Any) -> Iterator[str]:
    """Settings of Spark's have any names."""
    rule = value(
        lambda item: not isinstance(item, dict | list),
        "a text, a number or true or false (write keys with dots in quotes)",
    )
    yield from table(dict.fromkeys(result if isinstance(result, dict) else (), rule))(
        where, key, result
    )


RULES: dict[str, Rule] = {
    "strategy": one_of(PLANNED),
    "strategies": names_among(COMPARED),
    "strategy_seconds": value(lambda item: is_number(item) and item > 0, "a number above 0"),
    "max_age": DURATION,
    **GOAL_RULES,
    "consumers": CONSUMERS_RULE,
    "traffic": table(
        {"price_per_gb": value(lambda item: is_number(item, 0), "a number of 0 or more")}
    ),
    "weights": RATE_WEIGHTS_RULE,
    "spark": _spark_rule,
}
"""The keys of a configuration."""


def _as_spark_has_it(settings: Any) -> str:
    return str(settings).lower() if isinstance(settings, bool) else str(settings)


CONF = Path(__file__).with_name("conf")
"""In a checkout links to the files of conf/, in a wheel copies of them."""


def example_file(name: str) -> Path:
    """The file of this name, which may lack its ending; InputError lists those that there are."""
    files = [*sorted(CONF.glob("*.*")), *sorted(CONF.glob("*/*"))]
    for path in files:
        if name in (path.name, path.stem):
            return path
    names = ", ".join(path.stem for path in files)
    raise InputError(f"no example {name!r}: choose one of {names}")
