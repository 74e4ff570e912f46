"""What may happen to a group: events, and scenarios of them, as objects, as text and as TOML."""

from __future__ import annotations

from optimizer.scenarios.brokers import BrokerDown as BrokerDown
from optimizer.scenarios.deployments import Migrate as Migrate, Upgrade as Upgrade
from optimizer.scenarios.duration import (
    seconds_of as seconds_of,
    seconds_to_text as seconds_to_text,
)
from optimizer.scenarios.event import (
    DEFAULT_LIMITS as DEFAULT_LIMITS,
    Event as Event,
    EventError as EventError,
    Limits as Limits,
    NotApplicableError as NotApplicableError,
)
from optimizer.scenarios.members import (
    Crash as Crash,
    Join as Join,
    Leave as Leave,
    Members as Members,
    as_static as as_static,
)
from optimizer.scenarios.registry import EVENTS as EVENTS, event_of as event_of
from optimizer.scenarios.restarts import (
    Freeze as Freeze,
    Restart as Restart,
    RollingRestart as RollingRestart,
    SlowPoll as SlowPoll,
    in_turn as in_turn,
)
from optimizer.scenarios.scenario import Scenario as Scenario, Step as Step
from optimizer.scenarios.topics import (
    Create as Create,
    Delete as Delete,
    Grow as Grow,
    Subscribe as Subscribe,
)
