"""Thresholds and severities of findings, from a TOML file as conf/audit.toml."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from spark.audit.finding import SEVERITIES, Finding, Setting
from spark.audit.registry import FINDINGS
from spark.errors import InputError
from spark.settings import read_toml, sql_like

NEVER = "never"
"""In the file: a level that no measure reaches."""

TIMEOUTS = (
    *("session_timeout_ms", "heartbeat_interval_ms"),
    *("max_poll_interval_ms", "processing_time_ms"),
)

Values = Mapping[str, Mapping[str, float | None]]
"""Levels and settings by finding; None is never."""


@dataclass(frozen=True)
class GroupRule:
    """What is different for groups whose names match; a pattern has * and ?."""

    match: str
    cluster: str = "*"
    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Timeouts:
    """Time-outs of the consumers in groups whose names match, in milliseconds."""

    match: str
    cluster: str = "*"
    session_timeout_ms: int | None = None
    heartbeat_interval_ms: int | None = None
    max_poll_interval_ms: int | None = None
    processing_time_ms: int | None = None


@dataclass(frozen=True)
class Copartitioned:
    """Topics that groups whose names match join by partition number."""

    topics: tuple[str, ...]
    match: str = "*"
    cluster: str = "*"


def _defaults() -> Values:
    return {name: {**one.levels, **one.settings} for name, one in FINDINGS.items()}


@dataclass(frozen=True)
class AuditSettings:
    """All that an audit can be told; an empty file gives these defaults.

    The first of `groups` that matches a group counts for it. `worst_groups` is how many groups
    have series of their own in what Prometheus is given.
    """

    values: Values = field(default_factory=_defaults)
    groups: tuple[GroupRule, ...] = ()
    timeouts: tuple[Timeouts, ...] = ()
    copartitioned: tuple[Copartitioned, ...] = ()
    worst_groups: int = 20

    def of(self, finding: Finding) -> Setting:
        """The finding's levels and settings, for the `cluster` and `group` of a row."""

        def setting(name: str) -> str:
            default = self.values[finding.name][name]
            if not any(name in rule.values.get(finding.name, {}) for rule in self.groups):
                return _number(default)
            cases = " ".join(
                f"when {matches(rule.cluster, rule.match)} "
                f"then {_number(rule.values.get(finding.name, {}).get(name, default))}"
                for rule in self.groups
            )
            return f"(case {cases} else {_number(default)} end)"

        return setting


def _number(value: float | None) -> str:
    return "cast(null as double)" if value is None else f"{value!r}D"


def matches(cluster: str, group: str) -> str:
    """SQL text: whether a row's cluster and group match these patterns.

    A row without a group matches none.
    """
    return f"(cluster like {sql_like(cluster)} and `group` like {sql_like(group)})"


def read_audit_settings(path: Path | None) -> AuditSettings:
    """Settings of a file, or the defaults; InputError lists all that is wrong with it."""
    if path is None:
        return AuditSettings()
    stated = read_toml(path, "thresholds")
    faults = [fault for key, value in stated.items() for fault in _faults(key, value)]
    if faults:
        raise InputError(f"thresholds {path}: {'; '.join(faults)}")
    return _settings(stated)


def _settings(stated: Mapping[str, Any]) -> AuditSettings:
    return AuditSettings(
        values={
            name: {**default, **_values(stated.get(name, {}))}
            for name, default in _defaults().items()
        },
        groups=tuple(
            GroupRule(
                match=rule["match"],
                cluster=rule.get("cluster", "*"),
                values={name: _values(rule[name]) for name in rule.keys() & FINDINGS.keys()},
            )
            for rule in stated.get("group", ())
        ),
        timeouts=tuple(Timeouts(**rule) for rule in stated.get("timeouts", ())),
        copartitioned=tuple(
            Copartitioned(**rule | {"topics": tuple(rule["topics"])})
            for rule in stated.get("copartitioned", ())
        ),
        worst_groups=stated.get("prometheus", {}).get("worst_groups", AuditSettings.worst_groups),
    )


def _values(stated: Mapping[str, Any]) -> dict[str, float | None]:
    return {key: None if value == NEVER else float(value) for key, value in stated.items()}


def _faults(key: str, value: Any) -> Iterator[str]:
    """What is wrong with one key of the file."""
    if key in FINDINGS:
        yield from _faults_of_finding(key, value)
    elif key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(rule, dict) for rule in value):
            yield f"{key} must be tables, each headed [[{key}]]"
            return
        for number, rule in enumerate(value, start=1):
            for fault in _faults_of_rule(key, rule):
                yield f"[[{key}]] number {number}: {fault}"
    elif key == "prometheus":
        yield from _faults_of_prometheus(value)
    else:
        known = ", ".join([*FINDINGS, *_LISTS, "prometheus"])
        yield f"unknown key {key!r} (known are {known})"


def _faults_of_finding(name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{name} must be a table"
        return
    finding = FINDINGS[name]
    known = [*SEVERITIES, *finding.settings]
    for key, number in value.items():
        if key not in known:
            yield f"unknown key {name}.{key} (known are {', '.join(known)})"
        elif key in SEVERITIES and number == NEVER:
            continue
        elif not _is_number(number) or number < 0:
            never = f", or {NEVER!r}" if key in SEVERITIES else ""
            yield f"{name}.{key} must be a number from 0 on{never}"
        elif key in SEVERITIES and number < finding.lowest:
            yield f"{name}.{key} must be {finding.lowest:g} or more"


def _faults_of_rule(kind: str, rule: Mapping[str, Any]) -> Iterator[str]:
    required, checks = _LISTS[kind]
    for key, value in rule.items():
        if kind == "group" and key in FINDINGS:
            yield from _faults_of_finding(key, value)
        elif key not in checks:
            known = [*checks, *FINDINGS] if kind == "group" else [*checks]
            yield f"unknown key {key!r} (known are {', '.join(known)})"
        elif not checks[key](value):
            yield f"{key} is {value!r}: {_WANTED[checks[key]]}"
    if required not in rule:
        yield f"{required} is missing"


def _faults_of_prometheus(value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield "prometheus must be a table"
        return
    for key, number in value.items():
        if key != "worst_groups":
            yield f"unknown key prometheus.{key} (known is worst_groups)"
        elif not isinstance(number, int) or isinstance(number, bool) or number < 0:
            yield "prometheus.worst_groups must be a whole number from 0 on"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_time(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _are_topics(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(map(_is_text, value))


Check = Callable[[Any], bool]

_WANTED: dict[Check, str] = {
    _is_text: "it must be a pattern such as 'payments-*'",
    _is_time: "it must be a whole number of milliseconds",
    _are_topics: "it must be a list of two topics or more",
}
_PATTERNS: dict[str, Check] = {"match": _is_text, "cluster": _is_text}
_LISTS: dict[str, tuple[str, dict[str, Check]]] = {
    "group": ("match", _PATTERNS),
    "timeouts": ("match", {**_PATTERNS, **dict.fromkeys(TIMEOUTS, _is_time)}),
    "copartitioned": ("topics", {**_PATTERNS, "topics": _are_topics}),
}
"""The lists of tables in the file: the key that each table needs, and how its keys are checked."""
