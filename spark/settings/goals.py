"""Goals that count for each group."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import timedelta
from functools import cache
from typing import Any

from optimizer import DEFAULT_GOALS, Goals, GoalsError
from optimizer.figures import did_you_mean
from optimizer.model import BY_COUNT, Limit
from spark.errors import InputError
from spark.patterns import ForGroups, matches
from spark.toml.toml_file import duration

OF = r"^(?:mean|maximum|p[1-9][0-9]?)$"

OF_IN_WORDS = "'mean', 'maximum', or a quantile such as 'p95'"


@dataclass(frozen=True)
class RateWeights:
    """Rates as weights: those of the last `window`, and `of` them the mean, the highest or p95."""

    of: str = "p95"
    window: timedelta = timedelta(hours=24)

    @property
    def measure(self) -> str:
        """The column of a table of rates."""
        return self.of if self.of in ("mean", "maximum") else "quantile"

    @property
    def quantile(self) -> float:
        """The quantile that the column is to have."""
        return int(self.of[1:]) / 100 if self.measure == "quantile" else 0.95


DEFAULT_RATE_WEIGHTS = RateWeights()


def weight_of(text: str, otherwise: RateWeights) -> tuple[str, RateWeights]:
    """Where weights come from, of a text `column`, `lag`, `rate` or `rate:p95:24h`.

    Raises InputError for anything else.
    """
    source, *rest = text.split(":")
    if source not in ("column", "lag", "rate") or (rest and source != "rate") or len(rest) > 2:
        raise InputError(
            f"unknown weight {text!r}: use column (partitions.weight), lag, rate or rate:p95:24h"
        )
    of = rest[0] if rest else otherwise.of
    if not re.match(OF, of):
        raise InputError(f"weight {text!r}: {of!r} is none of {OF_IN_WORDS}")
    try:
        return source, RateWeights(of, duration(rest[1]) if rest[1:] else otherwise.window)
    except ValueError:
        raise InputError(
            f"weight {text!r}: {rest[1]!r} is not a duration (for example 24h)"
        ) from None


NO_RACK = "none"
"""In a file and as an option: racks don't matter."""

ENDED_EFFORT = ("effort", "thorough")
"""A goal of versions before: plans of them and files of settings are read as `standard`."""

KEYS = tuple(setting.name for setting in fields(Goals))


@dataclass(frozen=True)
class GroupGoals(ForGroups):
    """Goals of the groups whose cluster and name match; patterns have * and ?."""

    goals: Goals


@dataclass(frozen=True)
class Copartitioned(ForGroups):
    """Topics that groups whose names match join by partition number."""

    match: str = field(default="*", kw_only=True)
    topics: tuple[str, ...]


@dataclass(frozen=True)
class FleetGoals:
    """The goals of a fleet's groups: of the first rule that fits, otherwise the default.

    Groups that read several topics of one of `joined` have these as a limit too.
    """

    default: Goals = DEFAULT_GOALS
    rules: tuple[GroupGoals, ...] = ()
    joined: tuple[Copartitioned, ...] = ()

    def rule_of(self, cluster: str, group: str) -> GroupGoals | None:
        """The first rule that fits."""
        return next((rule for rule in self.rules if rule.fits(cluster, group)), None)

    def rules_of(self, group: str) -> tuple[GroupGoals, ...]:
        """The rules one of which may be the first that fits, by the group's cluster."""
        fitting = [rule for rule in self.rules if matches(rule.match, group)]
        everywhere = (number for number, rule in enumerate(fitting) if rule.cluster == "*")
        return tuple(fitting[: next(everywhere, len(fitting)) + 1])

    def of(self, cluster: str, group: str) -> Goals:
        rule = self.rule_of(cluster, group)
        return rule.goals if rule else self.default

    def of_group(self, cluster: str, group: str, topics: Collection[str]) -> Goals:
        """Goals of a group that reads these topics: it keeps those together that it joins."""
        sets = [
            topic_names
            for copartitioned in self.joined
            if copartitioned.fits(cluster, group)
            and len(topic_names := tuple(sorted({*copartitioned.topics} & {*topics}))) > 1
        ]
        goals = self.of(cluster, group)
        return _joining(goals, tuple(sets)) if sets else goals

    @property
    def every(self) -> tuple[Goals, ...]:
        """The default goals, and those of each rule."""
        return self.default, *(rule.goals for rule in self.rules)

    def limits_in_words(self) -> list[str]:
        """The limits of all groups, each once."""
        return [*dict.fromkeys(text for goals in self.every for text in goals.limits.in_words())]

    @property
    def need_racks(self) -> bool:
        """Whether any group's goals look at racks."""
        return any(goals.rack for goals in self.every)

    @property
    def weights(self) -> frozenset[str]:
        """Where the weights of groups come from that are balanced by them."""
        return frozenset(goals.weight for goals in self.every if goals.by_weight)

    @property
    def sources(self) -> frozenset[str]:
        """Where weights come from, also of groups that may be balanced by them."""
        return frozenset(filter(None, (goals.weight_source for goals in self.every)))

    @property
    def need_spark(self) -> bool:
        """Whether weights may come from elsewhere than the partitions' own column."""
        return bool(self.sources - {"column"})

    def overridden(self, **options: Any) -> FleetGoals:
        """With some goals of every group replaced, those that aren't None. Raises GoalsError."""
        stated_goals = _values({key: value for key, value in options.items() if value is not None})
        rules = (replace(rule, goals=replace(rule.goals, **stated_goals)) for rule in self.rules)
        return replace(self, default=replace(self.default, **stated_goals), rules=tuple(rules))


@cache
def _joining(goals: Goals, sets: tuple[tuple[str, ...], ...]) -> Goals:
    """The goals with these topics together, unless they state such topics, or rule that out."""
    with suppress(GoalsError):
        if not goals.copartition:
            limits = tuple(Limit(topics=", ".join(topics)) for topics in sets)
            return replace(goals, copartition=limits)
    return goals


DEFAULT_FLEET_GOALS = FleetGoals()


def read_goals(goals: Any, groups: Any) -> FleetGoals:
    """Goals from the table [goals] and the tables [[group]] of a file that has no faults."""
    default = Goals(**_values(goals.entries()))
    rules = ((rule, replace(default, **_values(rule.entries()))) for rule in groups)
    return FleetGoals(
        default, tuple(GroupGoals(r.match, goal, cluster=r.cluster) for r, goal in rules)
    )


def notes_on_goals(*tables: Any) -> tuple[str, ...]:
    """Sentences on what is read in another way than the file says."""
    ended = any(ENDED_EFFORT in table.entries().items() for table in tables)
    return ("effort 'thorough' ended and counts as 'standard'.",) if ended else ()


def goals_faults(document: Mapping[str, Any]) -> list[str]:
    """The faults of the goals that a file states, where they are tables."""
    groups = document.get("group")
    tables = {"goals: ": document.get("goals")}
    for number, table in enumerate(groups if isinstance(groups, list) else (), start=1):
        tables[f"[[group]] number {number}: "] = table
    faults = []
    for where, table in tables.items():
        try:
            Goals(**_values(table if isinstance(table, dict) else {}))
        except GoalsError as error:
            faults += [f"{where}{fault}" for fault in error.faults]
    return faults


def _values(table: Mapping[str, Any]) -> dict[str, Any]:
    """The goals among the settings of a table."""
    return {key: _value(key, table[key]) for key in KEYS if key in table}


def _value(key: str, value: Any) -> Any:
    """A goal as the file has it: TOML knows no None and no tuple."""
    if key == "rack" and value == NO_RACK:
        return None
    if (key, value) == ENDED_EFFORT:
        return DEFAULT_GOALS.effort
    return tuple(value) if isinstance(value, list) else value


def goal_of(text: str) -> tuple[str, Any]:
    """The goal that a text KEY=VALUE states, a value as in a file or bare; InputError if none.

    A list may be bare as well: `levels=moves,racks`. Topics of one `copartition` have commas.
    """
    key, equals, written = text.partition("=")
    key, written = key.strip(), written.strip()
    if not equals or key not in KEYS:
        if equals and (near := did_you_mean(key, KEYS)):
            raise InputError(f"unknown goal {key!r}{near}")
        raise InputError(f"goal {text!r} is not KEY=VALUE with a key of {', '.join(KEYS)}")
    try:
        value = tomllib.loads(f"value = {written}")["value"]
    except tomllib.TOMLDecodeError:
        value = written
    if isinstance(getattr(DEFAULT_GOALS, key), tuple) and isinstance(value, str):
        names = [value] if key == "copartition" else value.split(",")
        value = [name.strip() for name in names]
    return key, value


def as_fleet_goals(goals: FleetGoals | Goals) -> FleetGoals:
    """Goals of a fleet as they are; those of one group, for all groups."""
    return FleetGoals(goals) if isinstance(goals, Goals) else goals


@cache
def goals_to_text(goals: Goals) -> str | None:
    """How a plan's row tells its goals; None for the default ones by count."""
    return None if goals in (BY_COUNT, DEFAULT_GOALS) else json.dumps(asdict(goals))


def goals_from_text(text: str | None) -> Goals:
    """The goals that a plan's row tells. Raises ValueError (GoalsError is one)."""
    if not text:
        return BY_COUNT
    by_name = json.loads(text)
    if not isinstance(by_name, dict) or by_name.keys() - set(KEYS):
        raise ValueError(f"{text!r} is not what a plan's goals look like")
    return Goals(**_values(by_name))
