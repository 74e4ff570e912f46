"""Thresholds and severities of findings, from a TOML file as conf/audit.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from optimizer.advice import Grade, Levels
from spark.audit.finding import NEVER, SEVERITIES, WORST_GROUPS
from spark.audit.registry import FINDINGS, check_finding
from spark.errors import InputError
from spark.fleet import Mute, Team
from spark.history import WINDOW
from spark.patterns import ForGroups
from spark.settings import (
    DEFAULT_FLEET_GOALS,
    NO_CONSUMERS,
    Copartitioned,
    FleetConsumers,
    FleetGoals,
    GroupConsumers,
    Settings,
)

MARGIN = timedelta(hours=24)
"""So much further than the retention of offsets one looks for when a group had members last."""

TIMEOUTS = (
    *("session_timeout_ms", "heartbeat_interval_ms", "max_poll_interval_ms", "restart_seconds"),
    *("group_min_session_timeout_ms", "group_max_session_timeout_ms"),
)
"""Settings of time-outs in a configuration of consumers."""


Values = Mapping[str, Mapping[str, float | None]]
"""Levels and settings by finding; None is never."""


@dataclass(frozen=True)
class GroupRule(ForGroups):
    """Levels that differ for groups whose names match."""

    values: Values = field(default_factory=dict)


def _defaults() -> Values:
    return {name: {**finding.levels, **finding.defaults} for name, finding in FINDINGS.items()}


@dataclass(frozen=True)
class AuditSettings:
    """All that an audit can be told; an empty file gives these defaults.

    The first of `groups` that matches a group counts for it. `worst_groups` is how many groups
    have series of their own in what Prometheus is given. `window` is how far back from the newest
    snapshot findings about the past look. `goals`, `teams` and `mutes` are those of `Settings`.
    """

    values: Values = field(default_factory=_defaults)
    groups: tuple[GroupRule, ...] = ()
    timeouts: tuple[GroupConsumers, ...] = ()
    copartitioned: tuple[Copartitioned, ...] = ()
    consumers: FleetConsumers = NO_CONSUMERS
    worst_groups: int = WORST_GROUPS
    window: timedelta = WINDOW
    goals: FleetGoals = DEFAULT_FLEET_GOALS
    teams: tuple[Team, ...] = ()
    mutes: tuple[Mute, ...] = ()

    def with_settings(self, config: Settings) -> AuditSettings:
        """With a configuration's goals, consumers, teams and mutes; its time-outs come last.

        `[[copartitioned]]` topics limit the goals. InputError for a mute of no known finding.
        """
        for mute in config.mutes:
            check_finding(mute.finding, f"[[mute]] {mute}: ")
        consumers, goals = config.consumers, replace(config.goals, joined=self.copartitioned)
        rules = consumers.by_groups if any(map(consumers.states, TIMEOUTS)) else ()
        timeouts = *self.timeouts, *rules
        named = replace(self, teams=config.teams, mutes=config.mutes)
        return replace(named, timeouts=timeouts, consumers=consumers, goals=goals)

    @property
    def reach(self) -> timedelta:
        """How far back snapshots can tell something."""
        retention = self.values["offsets-expire"]["retention_hours"] or 0
        return max(self.window, timedelta(hours=retention) + MARGIN)

    def of(self, cluster: str, group: str) -> Values:
        """The levels and settings of all findings for a group."""
        return next(of for rule, of, _ in self.by_rule if rule.fits(cluster, group))

    def levels(self, cluster: str, group: str) -> Levels:
        """The levels of a group's balance, by what it is judged by."""
        return next(levels for rule, _, levels in self.by_rule if rule.fits(cluster, group))

    @cached_property
    def by_rule(self) -> list[tuple[GroupRule, Values, Levels]]:
        """The rules, and one for all other groups: each with its values, and levels of balance.

        What a rule doesn't state is as for all.
        """
        rules: list[tuple[GroupRule, Values, Levels]] = []
        for rule in (*self.groups, GroupRule("*")):
            by_finding = {
                name: {**of, **rule.values.get(name, {})} for name, of in self.values.items()
            }
            rules.append((rule, by_finding, _levels_of_balance(by_finding)))
        return rules


def _levels_of_balance(by_finding: Values) -> Levels:
    named = {"count": by_finding["unbalanced"], "weight": by_finding["unbalanced-weight"]}
    return {
        by: {s: Grade(of[s], int(of.get(f"least_{s}") or 0)) for s in SEVERITIES}
        for by, of in named.items()
    }


def read_audit_settings(path: Path | None) -> AuditSettings:
    """Settings of a file, or the defaults; InputError lists all that is wrong with it."""
    if path is None:
        return AuditSettings()
    from spark.audit.thresholds_file import ThresholdsFile  # noqa: PLC0415 - loads pydantic

    audit_settings = _settings(ThresholdsFile.read(path, "thresholds"))
    if faults := list(_out_of_order(audit_settings)):
        raise InputError(f"thresholds {path}: {'; '.join(faults)}")
    return audit_settings


def levels_and_goals(path: Path | None, config: Settings) -> tuple[AuditSettings, Settings]:
    """Both with what a file of thresholds and a configuration say of judging groups."""
    audit_settings = read_audit_settings(path).with_settings(config)
    return audit_settings, replace(config, goals=audit_settings.goals)


def _out_of_order(audit_settings: AuditSettings) -> Iterator[str]:
    """Levels that a worse severity reaches sooner, so that the lesser one is never told."""
    for name, finding in FINDINGS.items():
        rules = {f"[[group]] {rule.match!r}: ": of for rule, of, _ in audit_settings.by_rule[:-1]}
        for where, by_finding in {"": audit_settings.values, **rules}.items():
            levels = [(s, level) for s in SEVERITIES if (level := by_finding[name][s]) is not None]
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
            GroupRule(rule.match, _values(rule), cluster=rule.cluster) for rule in file.group or ()
        ),
        timeouts=tuple(
            GroupConsumers(of.match, of.settings(), cluster=of.cluster)
            for of in file.timeouts or ()
        ),
        copartitioned=tuple(Copartitioned(**rule.entries()) for rule in file.copartitioned or ()),
        worst_groups=file.prometheus.worst_groups,
        window=file.history.window,
    )


def _values(table: Any) -> Values:
    """The levels and settings that a table of findings states."""
    return {name: of.entries() for name, of in table.entries().items() if name in FINDINGS}
