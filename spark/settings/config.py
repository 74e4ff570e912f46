"""The product's own settings, from a TOML file."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from optimizer import OPTIMAL
from spark.errors import InputError
from spark.fleet import MAX_AGE
from spark.settings.consumers import NO_CONSUMERS, FleetConsumers, GroupConsumers
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    FleetGoals,
    notes_on_goals,
    read_goals,
)
from spark.settings.rates import DEFAULT_RATE_WEIGHTS, RateWeights
from spark.settings.strategies import STRATEGY_SECONDS


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
    # they load pydantic
    from spark.settings.config_file import ConfigFile, ConsumersTable  # noqa: PLC0415

    file = ConfigFile.read(path, "configuration")
    rules = (
        GroupConsumers(rule.match, rule.entries(ConsumersTable), rule.cluster)
        for rule in file.group
    )
    return Settings(
        strategy=file.strategy,
        strategies=tuple(file.strategies),
        strategy_seconds=file.strategy_seconds,
        max_age=file.max_age,  # type: ignore[arg-type] # a text in the file
        goals=read_goals(file.goals, file.group),
        consumers=FleetConsumers(file.consumers.entries(), tuple(rules)),
        price_per_gb=file.traffic.price_per_gb,
        weights=RateWeights(**dict(file.weights)),
        spark={key: _as_spark_has_it(value) for key, value in file.spark.items()},
        notes=notes_on_goals(file.goals, *file.group),
    )


def _as_spark_has_it(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
