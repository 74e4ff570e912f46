"""What may happen to a group: events, and scenarios of them, as objects, as text and as TOML."""

from __future__ import annotations

from optimizer.scenarios.brokers import BrokerDown
from optimizer.scenarios.deployments import Migrate, Upgrade
from optimizer.scenarios.duration import seconds_of, seconds_to_text
from optimizer.scenarios.event import (
    DEFAULT_LIMITS,
    Event,
    EventError,
    Limits,
    NotApplicableError,
)
from optimizer.scenarios.members import Crash, Join, Leave, Members, as_static
from optimizer.scenarios.registry import EVENTS, event_of
from optimizer.scenarios.restarts import Restart, RollingRestart, SlowPoll, in_turn
from optimizer.scenarios.scenario import Scenario, Step
from optimizer.scenarios.topics import Create, Delete, Grow, Subscribe

__all__ = [
    "DEFAULT_LIMITS",
    "EVENTS",
    "BrokerDown",
    "Crash",
    "Create",
    "Delete",
    "Event",
    "EventError",
    "Grow",
    "Join",
    "Leave",
    "Limits",
    "Members",
    "Migrate",
    "NotApplicableError",
    "Restart",
    "RollingRestart",
    "Scenario",
    "SlowPoll",
    "Step",
    "Subscribe",
    "Upgrade",
    "as_static",
    "event_of",
    "in_turn",
    "seconds_of",
    "seconds_to_text",
]
