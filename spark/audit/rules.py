"""What users state for groups by patterns of their names; a pattern has * and ?."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from spark.patterns import ForGroups

Values = Mapping[str, Mapping[str, float | None]]
"""Levels and settings by finding; None is never."""


WORST_GROUPS = 20
"""How many groups have series of their own in what Prometheus is given."""


@dataclass(frozen=True)
class GroupRule(ForGroups):
    """What is different for groups whose names match."""

    match: str
    cluster: str = "*"
    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Timeouts(ForGroups):
    """Time-outs of the consumers in groups whose names match, in milliseconds.

    `group_min_session_timeout_ms` and `group_max_session_timeout_ms` are what brokers allow,
    `restart_ms` is for how long a restart keeps a member away.
    """

    match: str
    cluster: str = "*"
    session_timeout_ms: int | None = None
    heartbeat_interval_ms: int | None = None
    max_poll_interval_ms: int | None = None
    processing_time_ms: int | None = None
    group_min_session_timeout_ms: int | None = None
    group_max_session_timeout_ms: int | None = None
    restart_ms: int | None = None

    def with_bounds(self, least: int | None, most: int | None) -> Timeouts:
        """The same, with these limits of brokers where none are stated."""
        return replace(
            self,
            group_min_session_timeout_ms=self.group_min_session_timeout_ms or least,
            group_max_session_timeout_ms=self.group_max_session_timeout_ms or most,
        )


@dataclass(frozen=True)
class Copartitioned(ForGroups):
    """Topics that groups whose names match join by partition number."""

    topics: tuple[str, ...]
    match: str = "*"
    cluster: str = "*"
