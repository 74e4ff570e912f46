"""Which goals count for which group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from optimizer import DEFAULT_GOALS, Goals, GoalsError
from spark.settings.patterns import matches

NO_RACK = "none"
"""In a file and as an option: racks don't matter."""

KEYS = tuple(setting.name for setting in fields(Goals))


@dataclass(frozen=True)
class GroupGoals:
    """Goals of the groups whose cluster and name match; patterns have * and ?."""

    match: str
    goals: Goals
    cluster: str = "*"

    def fits(self, cluster: str, group: str) -> bool:
        return matches(self.cluster, cluster) and matches(self.match, group)


@dataclass(frozen=True)
class FleetGoals:
    """The goals of a fleet's groups: of the first rule that fits, otherwise the default."""

    default: Goals = DEFAULT_GOALS
    rules: tuple[GroupGoals, ...] = ()

    def rule_of(self, cluster: str, group: str) -> GroupGoals | None:
        """The first rule that fits."""
        return next((rule for rule in self.rules if rule.fits(cluster, group)), None)

    def of(self, cluster: str, group: str) -> Goals:
        rule = self.rule_of(cluster, group)
        return rule.goals if rule else self.default

    @property
    def need_racks(self) -> bool:
        """Whether any group's goals look at racks."""
        return any(goals.rack for goals in (self.default, *(rule.goals for rule in self.rules)))

    def overridden(self, **options: Any) -> FleetGoals:
        """With some goals of every group replaced, those that aren't None. Raises GoalsError."""
        stated = {key: _value(key, value) for key, value in options.items() if value is not None}
        return FleetGoals(
            replace(self.default, **stated),
            tuple(replace(rule, goals=replace(rule.goals, **stated)) for rule in self.rules),
        )


DEFAULT_FLEET_GOALS = FleetGoals()


def read_goals(table: Any, rules: Any) -> FleetGoals:
    """Goals from the table [goals] and the list [[group]] of a file that has no faults."""
    default = Goals(**_values(table))
    return FleetGoals(
        default,
        tuple(
            GroupGoals(
                match=rule["match"],
                cluster=rule.get("cluster", "*"),
                goals=replace(default, **_values({k: rule[k] for k in KEYS if k in rule})),
            )
            for rule in rules
        ),
    )


def faults_of_goals(table: Any) -> Iterator[str]:
    """What is wrong with a table [goals]."""
    yield from _faults(table, "goals", KEYS)


def faults_of_rules(rules: Any) -> Iterator[str]:
    """What is wrong with a list [[group]]."""
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        yield "group must be tables, each headed [[group]]"
        return
    for number, rule in enumerate(rules, start=1):
        name = f"[[group]] number {number}"
        if "match" not in rule:
            yield f"{name}: match is missing"
        for key in ("match", "cluster"):
            if key in rule and not (isinstance(rule[key], str) and rule[key]):
                yield f"{name}: {key} is {rule[key]!r} and must be a pattern such as 'payments-*'"
        yield from _faults(rule, name, ("match", "cluster", *KEYS))


def _faults(table: Any, name: str, known: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"{name} must be a table"
        return
    for key in table.keys() - set(known):
        yield f"{name}: unknown key {key!r} (known are {', '.join(known)})"
    try:
        Goals(**_values({key: table[key] for key in KEYS if key in table}))
    except GoalsError as error:
        yield from (f"{name}: {fault}" for fault in error.faults)


def _values(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(key, value) for key, value in stated.items()}


def _value(key: str, value: Any) -> Any:
    """A goal as the file has it: TOML knows no None and no tuple."""
    if key == "rack" and value == NO_RACK:
        return None
    return tuple(value) if isinstance(value, list) else value


def of_fleet(goals: FleetGoals | Goals) -> FleetGoals:
    """Goals of a fleet as they are; those of one group, for all groups."""
    return FleetGoals(goals) if isinstance(goals, Goals) else goals


def goals_to_text(goals: Goals) -> str | None:
    """How a plan's row tells its goals; None for the default ones."""
    return None if goals == DEFAULT_GOALS else json.dumps(asdict(goals))


def goals_from_text(text: str | None) -> Goals:
    """The goals that a plan's row tells. Raises ValueError (GoalsError is one)."""
    if not text:
        return DEFAULT_GOALS
    stated = json.loads(text)
    if not isinstance(stated, dict) or stated.keys() - set(KEYS):
        raise ValueError(f"{text!r} is not what a plan's goals look like")
    return Goals(**_values(stated))
