"""The product's own settings: from a TOML file, and as rows of tables that people read."""

from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from optimizer import OPTIMAL, Goals
from optimizer.figures import did_you_mean
from spark.errors import InputError
from spark.fleet import MAX_AGE, Mute, Team
from spark.settings.consumers import NO_CONSUMERS, FleetConsumers, GroupConsumers
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    DEFAULT_RATE_WEIGHTS,
    NO_RACK,
    FleetGoals,
    GroupGoals,
    RateWeights,
    notes_on_goals,
    read_goals,
)
from spark.settings.strategies import STRATEGY_SECONDS
from spark.toml.toml_file import in_words


@dataclass(frozen=True)
class Settings:
    """Settings of commands where no option says otherwise; an empty file gives these defaults.

    `strategy` is what `plan` uses, `strategies` what `compare` compares (empty: the assignment as
    found, and every strategy), `spark` are settings of the Spark session. `strategy_seconds` is how
    much processor time a strategy may spend on one group before that is `failed`.
    `max_age` is how much older than the newest snapshot that of a cluster may be.
    `goals` are those of `optimal`, by group, and `consumers` say how consumers are configured.
    `price_per_gb` is what 10⁹ bytes between two racks cost; 0: money isn't shown. `weights` tells
    which rates weigh partitions where goals ask for it. `teams` have groups, and `mutes` findings
    that are known. `notes` say what of the file is read in another way than it says.
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
    teams: tuple[Team, ...] = ()
    mutes: tuple[Mute, ...] = ()
    notes: tuple[str, ...] = ()


def read_settings(path: Path | None) -> Settings:
    """Settings of a file, or the defaults; InputError lists unknown and mistyped keys at once."""
    if path is None:
        return Settings()
    # they load pydantic
    from spark.settings.config_file import ConfigFile, ConsumersTable  # noqa: PLC0415

    file = ConfigFile.read(path, "configuration")
    rules = (
        GroupConsumers(rule.match, rule.entries(ConsumersTable), cluster=rule.cluster)
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
        teams=tuple(Team(team.name, tuple(team.groups)) for team in file.team),
        mutes=tuple(Mute(**dict(mute)) for mute in file.mute),
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
    names = [path.stem for path in files]
    near = did_you_mean(name, names) or f": choose one of {', '.join(names)}"
    raise InputError(f"no example {name!r}{near}")


def goal_rows_of(goals: FleetGoals, group: str, cluster: str | None) -> list[dict[str, Any]]:
    """Of a group of this cluster; or, if the cluster isn't known, a row for each that may count."""
    if cluster is None:
        rules: list[GroupGoals | None] = list(goals.rules_of(group))
        if not rules or (rules[-1] and rules[-1].cluster != "*"):
            rules.append(None)
    else:
        rules = [goals.rule_of(cluster, group)]
    return [
        _row(
            f"group {group}, by {_name(rule.match, rule.cluster) if rule else 'default'}",
            rule.goals if rule else goals.default,
        )
        for rule in rules
    ]


def setting_rows(config: Settings) -> list[dict[str, Any]]:
    """A row for each setting that isn't a goal."""
    texts = {
        "strategy": config.strategy,
        "strategies": ", ".join(config.strategies) or "all",
        "max_age": in_words(config.max_age),
        "traffic.price_per_gb": f"{config.price_per_gb:g}",
        **{f"team {team.name}": ", ".join(team.groups) for team in config.teams},
        **{f"mute {mute}": f"until {mute.until}: {mute.why}" for mute in config.mutes},
        **{f"spark.{key!r}": value for key, value in config.spark.items()},
    }
    return [{"setting": key, "value": value} for key, value in texts.items()]


def goal_rows(goals: FleetGoals) -> list[dict[str, Any]]:
    """A row for each rule, and one for all other groups."""
    rules = goals.rules
    return [
        *(_row(f"groups {_name(rule.match, rule.cluster)}", rule.goals) for rule in rules),
        _row("all other groups" if rules else "all groups", goals.default),
    ]


def _name(match: str, cluster: str) -> str:
    return match if cluster == "*" else f"{match} of clusters {cluster}"


def _row(of: str, goals: Goals) -> dict[str, Any]:
    by_name = asdict(goals)
    return {
        "goals_of": of,
        "rack": by_name["rack"] or NO_RACK,
        "levels": ", ".join(goals.ranking),
        "min_gain": float(by_name["min_gain"]),
        "max_moves": "any" if goals.max_moves is None else goals.max_moves,
        "limits": "; ".join(goals.limits.in_words()) or "none",
    }
