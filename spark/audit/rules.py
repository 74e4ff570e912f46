"""What users state for groups by patterns of their names; a pattern has * and ?."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spark.settings import matches

Values = Mapping[str, Mapping[str, float | None]]
"""Levels and settings by finding; None is never."""


@dataclass(frozen=True)
class ForGroups:
    """Something that is stated for the groups of a pattern, in the clusters of another."""

    match: str
    cluster: str = "*"

    def fits(self, cluster: str, group: str) -> bool:
        return matches(self.match, group) and matches(self.cluster, cluster)


@dataclass(frozen=True)
class GroupRule(ForGroups):
    """What is different for groups whose names match."""

    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Timeouts(ForGroups):
    """Time-outs of the consumers in groups whose names match, in milliseconds.

    `group_min_session_timeout_ms` and `group_max_session_timeout_ms` are what brokers allow,
    `restart_ms` is for how long a restart keeps a member away.
    """

    session_timeout_ms: int | None = None
    heartbeat_interval_ms: int | None = None
    max_poll_interval_ms: int | None = None
    processing_time_ms: int | None = None
    group_min_session_timeout_ms: int | None = None
    group_max_session_timeout_ms: int | None = None
    restart_ms: int | None = None


@dataclass(frozen=True)
class Copartitioned:
    """Topics that groups whose names match join by partition number."""

    topics: tuple[str, ...]
    match: str = "*"
    cluster: str = "*"

    def fits(self, cluster: str, group: str) -> bool:
        return ForGroups(self.match, self.cluster).fits(cluster, group)
