"""Thresholds and severities of findings, from a TOML file as conf/audit.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from optimizer.advice import Level, Levels
from spark.audit.finding import NEVER, SEVERITIES
from spark.audit.registry import FINDINGS
from spark.audit.rules import WORST_GROUPS, Copartitioned, GroupRule, Timeouts, Values
from spark.errors import InputError
from spark.history import WINDOW
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    NO_CONSUMERS,
    FleetConsumers,
    FleetGoals,
    Settings,
)

MARGIN = timedelta(hours=24)
"""So much further than the retention of offsets one looks for when a group had members last."""

TIMEOUTS = {item.name for item in fields(Timeouts)} - {"match", "cluster"}


def _defaults() -> Values:
    return {name: {**finding.levels, **finding.settings} for name, finding in FINDINGS.items()}


@dataclass(frozen=True)
class AuditSettings:
    """All that an audit can be told; an empty file gives these defaults.

    The first of `groups` that matches a group counts for it. `worst_groups` is how many groups
    have series of their own in what Prometheus is given. `window` is how far back from the newest
    snapshot findings about the past look. `goals` are those of the best assignments.
    """

    values: Values = field(default_factory=_defaults)
    groups: tuple[GroupRule, ...] = ()
    timeouts: tuple[Timeouts, ...] = ()
    copartitioned: tuple[Copartitioned, ...] = ()
    consumers: FleetConsumers = NO_CONSUMERS
    worst_groups: int = WORST_GROUPS
    window: timedelta = WINDOW
    goals: FleetGoals = DEFAULT_FLEET_GOALS

    def with_settings(self, settings: Settings) -> AuditSettings:
        """With a configuration's goals and consumers; its time-outs count where none fits here."""
        consumers, goals = settings.consumers, settings.goals
        times = [(rule, _times(rule.settings)) for rule in consumers.by_groups]
        rules = [Timeouts(rule.match, rule.cluster, **of_rule) for rule, of_rule in times]
        timeouts = *self.timeouts, *(rules if any(of_rule for _, of_rule in times) else ())
        return replace(self, timeouts=timeouts, consumers=consumers, goals=goals)

    @property
    def reach(self) -> timedelta:
        """How far back snapshots can tell something."""
        retention = self.values["offsets-expire"]["retention_hours"] or 0
        return max(self.window, timedelta(hours=retention) + MARGIN)

    def of(self, cluster: str, group: str) -> Values:
        """The levels and settings of all findings for a group."""
        fitting = (values for rule, values in self.by_rule if rule.fits(cluster, group))
        return next(fitting, self.values)

    def levels(self, cluster: str, group: str) -> Levels:
        """The levels of a group's balance, by what it is judged by."""
        thresholds = self.of(cluster, group)
        named = {"count": thresholds["unbalanced"], "weight": thresholds["unbalanced-weight"]}
        return {
            by: {
                severity: Level(of[severity], int(of.get(f"least_{severity}") or 0))
                for severity in SEVERITIES
            }
            for by, of in named.items()
        }

    @cached_property
    def by_rule(self) -> list[tuple[GroupRule, Values]]:
        """The rules, each with its values and those that it doesn't state."""
        every = self.values.items()
        return [
            (rule, {name: {**values, **rule.values.get(name, {})} for name, values in every})
            for rule in self.groups
        ]


def read_audit_settings(path: Path | None) -> AuditSettings:
    """Settings of a file, or the defaults; InputError lists all that is wrong with it."""
    if path is None:
        return AuditSettings()
    from spark.audit.thresholds_file import ThresholdsFile  # noqa: PLC0415 - loads pydantic

    audit_settings = _settings(ThresholdsFile.read(path, "thresholds"))
    if faults := list(_out_of_order(audit_settings)):
        raise InputError(f"thresholds {path}: {'; '.join(faults)}")
    return audit_settings


def _out_of_order(settings: AuditSettings) -> Iterator[str]:
    """Levels that a worse severity reaches sooner, so that the lesser one is never told."""
    for name, finding in FINDINGS.items():
        rules = {f"[[group]] {rule.match!r}: ": of for rule, of in settings.by_rule}
        for where, values in {"": settings.values, **rules}.items():
            levels = [(s, level) for s in SEVERITIES if (level := values[name][s]) is not None]
            for (lesser, low), (worse, high) in pairwise(levels):
                if (low < high) if finding.below else (low > high):
                    yield (
                        f"{where}{name}: {lesser} {low:g} is beyond {worse} {high:g}, and would "
                        f"never be told: put them in order, or set {lesser} to {NEVER!r}"
                    )


def _settings(file: Any) -> AuditSettings:
    """The settings of a file, as `ThresholdsFile` has read it."""
    stated_levels = _values(file)
    return AuditSettings(
        values={n: {**usual, **stated_levels.get(n, {})} for n, usual in _defaults().items()},
        groups=tuple(
            GroupRule(rule.match, rule.cluster, _values(rule)) for rule in file.group or ()
        ),
        timeouts=tuple(Timeouts(**rule.entries()) for rule in file.timeouts or ()),
        copartitioned=tuple(Copartitioned(**rule.entries()) for rule in file.copartitioned or ()),
        worst_groups=file.prometheus.worst_groups,
        window=file.history.window,
    )


def _values(table: Any) -> Values:
    """The levels and settings that a table of findings states."""
    return {name: of.entries() for name, of in table.entries().items() if name in FINDINGS}


def _times(settings: Mapping[str, Any]) -> dict[str, int]:
    """What a configuration of consumers states of what time-outs are called here."""
    times = {key: settings[key] for key in TIMEOUTS if key in settings}
    if "restart_seconds" in settings:
        times["restart_ms"] = settings["restart_seconds"] * 1000
    return times
