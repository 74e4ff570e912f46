"""Thresholds and severities of findings, from a TOML file as conf/audit.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from spark.audit.finding import SEVERITIES, Finding
from spark.audit.registry import FINDINGS
from spark.audit.rules import Copartitioned, GroupRule, Timeouts, Values
from spark.errors import InputError
from spark.history import WINDOW
from spark.settings import (
    DURATION,
    MILLISECONDS,
    NO_CONSUMERS,
    PATTERN,
    FleetConsumers,
    Rule,
    duration,
    in_words,
    is_number,
    is_whole,
    read_checked,
    table,
    tables,
    value,
)

NEVER = "never"
"""In the file: a level that no measure reaches."""

MARGIN = timedelta(hours=24)
"""So much further than the retention of offsets one looks for when a group had members last."""

TIMEOUTS = (
    *("session_timeout_ms", "heartbeat_interval_ms"),
    *("max_poll_interval_ms", "processing_time_ms", "restart_ms"),
    *("group_min_session_timeout_ms", "group_max_session_timeout_ms"),
)


def _defaults() -> Values:
    return {name: {**finding.levels, **finding.settings} for name, finding in FINDINGS.items()}


@dataclass(frozen=True)
class AuditSettings:
    """All that an audit can be told; an empty file gives these defaults.

    The first of `groups` that matches a group counts for it. `worst_groups` is how many groups
    have series of their own in what Prometheus is given. `window` is how far back from the newest
    snapshot findings about the past look.
    """

    values: Values = field(default_factory=_defaults)
    groups: tuple[GroupRule, ...] = ()
    timeouts: tuple[Timeouts, ...] = ()
    copartitioned: tuple[Copartitioned, ...] = ()
    consumers: FleetConsumers = NO_CONSUMERS
    worst_groups: int = 20
    window: timedelta = WINDOW

    def with_consumers(self, consumers: FleetConsumers) -> AuditSettings:
        """With a configuration's time-outs, where none are stated here, and clients' versions."""
        times = [(rule, _times(rule.settings)) for rule in consumers.by_groups]
        rules = [Timeouts(rule.match, rule.cluster, **of_rule) for rule, of_rule in times]
        configured = rules if any(of_rule for _, of_rule in times) else []
        return replace(self, timeouts=(*self.timeouts, *configured), consumers=consumers)

    @property
    def reach(self) -> timedelta:
        """How far back snapshots can tell something."""
        retention = self.values["offsets-expire"]["retention_hours"] or 0
        return max(self.window, timedelta(hours=retention) + MARGIN)

    def of(self, cluster: str, group: str) -> Values:
        """The levels and settings of all findings for a group."""
        for rule, values in zip(self.groups, self._by_rule, strict=True):
            if rule.fits(cluster, group):
                return values
        return self.values

    @cached_property
    def _by_rule(self) -> list[Values]:
        return [
            {name: {**values, **rule.values.get(name, {})} for name, values in self.values.items()}
            for rule in self.groups
        ]


def read_audit_settings(path: Path | None) -> AuditSettings:
    """Settings of a file, or the defaults; InputError lists all that is wrong with it."""
    if path is None:
        return AuditSettings()
    settings = _settings(read_checked(path, "thresholds", RULES))
    if faults := list(_out_of_order(settings)):
        raise InputError(f"thresholds {path}: {'; '.join(faults)}")
    return settings


def _out_of_order(settings: AuditSettings) -> Iterator[str]:
    """Levels that a worse severity reaches sooner, so that the lesser one is never told."""
    for name, finding in FINDINGS.items():
        default = settings.values[name]
        rules = {
            f"[[group]] {group.match!r}: ": group.values.get(name, {}) for group in settings.groups
        }
        for where, values in {"": default, **rules}.items():
            levels = {**default, **values}
            entries = [
                (severity, level)
                for severity in SEVERITIES
                if (level := levels[severity]) is not None
            ]
            for (lesser, low), (worse, high) in pairwise(entries):
                if (low < high) if finding.below else (low > high):
                    yield (
                        f"{where}{name}: {lesser} {low:g} is beyond {worse} {high:g}, and would "
                        f"never be told: put them in order, or set {lesser} to {NEVER!r}"
                    )


def _settings(settings: Mapping[str, Any]) -> AuditSettings:
    return AuditSettings(
        values={
            name: {**default, **_values(settings.get(name, {}))}
            for name, default in _defaults().items()
        },
        groups=tuple(
            GroupRule(
                match=rule["match"],
                cluster=rule.get("cluster", "*"),
                values={name: _values(rule[name]) for name in rule.keys() & FINDINGS.keys()},
            )
            for rule in settings.get("group", ())
        ),
        timeouts=tuple(Timeouts(**rule) for rule in settings.get("timeouts", ())),
        copartitioned=tuple(
            Copartitioned(**rule | {"topics": tuple(rule["topics"])})
            for rule in settings.get("copartitioned", ())
        ),
        worst_groups=settings.get("prometheus", {}).get("worst_groups", AuditSettings.worst_groups),
        window=duration(settings.get("history", {}).get("window", in_words(WINDOW))),
    )


def _times(settings: Mapping[str, Any]) -> dict[str, int]:
    """What a configuration of consumers states of what time-outs are called here."""
    times = {key: settings[key] for key in TIMEOUTS if key in settings}
    if "restart_seconds" in settings:
        times["restart_ms"] = settings["restart_seconds"] * 1000
    return times


def _values(settings: Mapping[str, Any]) -> dict[str, float | None]:
    return {key: None if value == NEVER else float(value) for key, value in settings.items()}


def _level(finding: Finding) -> Rule:
    least = f"a number from {finding.lowest:g} on, or {NEVER!r}"
    return value(lambda result: result == NEVER or is_number(result, finding.lowest), least)


_SETTING = value(lambda result: is_number(result, 0), "a number from 0 on")
_TOPICS = value(
    lambda result: (
        isinstance(result, list)
        and len(result) > 1
        and all(isinstance(topic, str) and topic for topic in result)
    ),
    "a list of two topics or more",
)
_OF_FINDINGS: dict[str, Rule] = {
    name: table(
        dict.fromkeys(SEVERITIES, _level(finding)) | dict.fromkeys(finding.settings, _SETTING)
    )
    for name, finding in FINDINGS.items()
}
_PATTERNS = {"match": PATTERN, "cluster": PATTERN}

RULES: dict[str, Rule] = {
    **_OF_FINDINGS,
    "group": tables(_PATTERNS | _OF_FINDINGS, required=("match",)),
    "timeouts": tables(_PATTERNS | dict.fromkeys(TIMEOUTS, MILLISECONDS), required=("match",)),
    "copartitioned": tables(_PATTERNS | {"topics": _TOPICS}, required=("topics",)),
    "history": table({"window": DURATION}),
    "prometheus": table(
        {"worst_groups": value(lambda result: is_whole(result, 0), "a whole number from 0 on")}
    ),
}
"""The keys of a file of thresholds."""
