"""Options that several commands have: goals, strategies, where results go."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from optimizer import STRATEGY_NAMES, GoalsError
from spark.errors import InputError
from spark.settings import Settings, check_strategies, goal_of, weight_of
from spark.store import CatalogSchema, Where, check_writable
from spark.terminal.console import say_all

CHECK_FAILED = 1
"""Exit code of a command that found what it looks for."""


def option(text: str, *names: str, shown: str | None = None, **others: Any) -> Any:
    """An option with this help, called as its parameter unless it has names; flags have no `--no-`.

    `shown` stands for the default in the help.
    """
    return typer.Option(*names, help=text, show_default=shown or True, **others)


as_configured = partial(option, shown="as configured")
"""An option without which the configuration counts."""


def snapshot_option(shown: str) -> Any:
    """The option for a snapshot's id; `shown` says which one it is without."""
    return option("Id such as 20261121T060000Z.", shown=shown)


Window = Annotated[str, option("Time before each cluster's last snapshot from which rates come.")]
Master = Annotated[str | None, option("Spark master.", shown="all cores of this machine")]
Conf = Annotated[list[str] | None, option("KEY=VALUE for Spark; repeatable.")]
Config = Annotated[Path | None, option("Settings as in conf/evenfleet.toml.")]
MoveCost = Annotated[
    str | None,
    option("Price of a partition that moves: time to rebuild its state (30s), or bytes (2GB)."),
]
Thresholds = Annotated[
    Path | None, option("Thresholds, severities, time-outs as in conf/audit.toml.")
]


def one_of(path: str | None, tables: str | None, *names: str) -> Where | None:
    """The place that options of these names say, if any; InputError where both do."""
    if path is not None and tables is not None:
        raise InputError(f"{names[0]} and {names[1]} name two places: leave one of them out")
    return path if tables is None else CatalogSchema(tables)


@dataclass(frozen=True, kw_only=True)
class OutOptions:
    """Where a result goes."""

    out: Annotated[str | None, option("Folder for the result.")] = None
    out_tables: Annotated[
        str | None, option("Tables for the result, instead of --out.", metavar="CATALOG.SCHEMA")
    ] = None

    def optional(self) -> Where | None:
        """The place, which can be written to, or None; InputError if it can't, or two are named."""
        place = one_of(self.out, self.out_tables, "--out", "--out-tables")
        if place is not None:
            check_writable(place)
        return place


class RackMeaning(StrEnum):
    """The replica that a member reads."""

    NONE = "none"
    LEADER = "leader"
    ANY = "any"


@dataclass(frozen=True, kw_only=True)
class GoalOptions:
    """Options of what makes one assignment better than another."""

    goal: Annotated[
        list[str] | None,
        as_configured(
            "Any goal of conf/evenfleet.toml, for all groups; repeatable.", metavar="KEY=VALUE"
        ),
    ] = None
    rack: Annotated[
        RackMeaning | None,
        as_configured("Read within racks: from the leader, or from any replica (KIP-392)."),
    ] = None
    levels: Annotated[
        str | None, as_configured("Priorities after balance, such as `racks,moves,spread`.")
    ] = None
    min_gain: Annotated[
        float | None,
        as_configured(
            "Minimum improvement (partitions) per move; groups below it stay as they are."
        ),
    ] = None
    weight: Annotated[
        str | None,
        as_configured(
            "Balance by weight: column (partitions.weight), lag, rate, or rate:p95:24h.",
            metavar="SOURCE",
        ),
    ] = None

    def apply_to(self, settings: Settings) -> Settings:
        """The settings with the goals that options state; InputError tells what can't be.

        An option of its own wins over `--goal`, and `--weight` over both.
        """
        goals: dict[str, Any] = {}
        for key, goal in map(goal_of, self.goal or ()):
            if key in goals:
                raise InputError(f"--goal {key} is given twice: give one value for it")
            goals[key] = goal
        own = {
            "rack": self.rack and self.rack.value,
            "levels": self.levels and [level.strip() for level in self.levels.split(",")],
            "min_gain": self.min_gain,
        }
        goals |= {key: value for key, value in own.items() if value is not None}
        try:
            with_goals = replace(settings, goals=settings.goals.overridden(**goals))
        except GoalsError as error:
            raise InputError(str(error)) from None
        if self.weight is None:
            return with_goals
        source, rates = weight_of(self.weight, settings.weights)
        weighed = with_goals.goals.overridden(balance="weight", weight=source)
        return replace(with_goals, goals=weighed, weights=rates)

    def check_limits(self, idle: Sequence[str]) -> None:
        """Say which limits nothing fits; InputError where all that options state are such."""
        limits = GoalOptions(goal=self.goal).apply_to(Settings()).goals.limits_in_words()
        if limits and set(limits) <= set(idle):
            raise InputError(
                f"no member or partition fits the limits of --goal ({'; '.join(limits)}): look at "
                "their names in `evenfleet explain`"
            )
        say_all(f"No member or partition fits a limit: {text}." for text in idle)


@dataclass(frozen=True, kw_only=True)
class TrialOptions(GoalOptions):
    """The strategies that are tried, and the goals of those that have some."""

    strategies: Annotated[
        str | None,
        as_configured(
            f"Names, separated by commas: current, {', '.join(STRATEGY_NAMES)}; your own as "
            "package:function."
        ),
    ] = None

    def apply_to(self, settings: Settings, usual: Sequence[str] = ()) -> Settings:
        """The settings with these strategies, or else those that are configured or `usual`."""
        named = self.strategies.split(",") if self.strategies else settings.strategies or usual
        tried = tuple(check_strategies(named))
        return replace(super().apply_to(settings), strategies=tried)
