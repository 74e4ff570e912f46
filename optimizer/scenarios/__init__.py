"""What may happen to a group: events, and scenarios of them, as objects, as text and as TOML."""

from __future__ import annotations

from optimizer.scenarios.broker_down import BrokerDown as BrokerDown
from optimizer.scenarios.crash import Crash as Crash
from optimizer.scenarios.create import Create as Create
from optimizer.scenarios.delete import Delete as Delete
from optimizer.scenarios.duration import (
    seconds_of as seconds_of,
    seconds_to_text as seconds_to_text,
)
from optimizer.scenarios.event import (
    Event as Event,
    EventError as EventError,
    NotApplicableError as NotApplicableError,
)
from optimizer.scenarios.freeze import Freeze as Freeze
from optimizer.scenarios.grow import Grow as Grow
from optimizer.scenarios.join import Join as Join
from optimizer.scenarios.leave import Leave as Leave
from optimizer.scenarios.members import Members as Members
from optimizer.scenarios.migrate import Migrate as Migrate
from optimizer.scenarios.registry import EVENTS as EVENTS, event_of as event_of
from optimizer.scenarios.restart import Restart as Restart
from optimizer.scenarios.returning import as_static as as_static
from optimizer.scenarios.rolling import in_turn as in_turn
from optimizer.scenarios.rolling_restart import RollingRestart as RollingRestart
from optimizer.scenarios.running import Running as Running
from optimizer.scenarios.scenario import Scenario as Scenario, Step as Step
from optimizer.scenarios.slow_poll import SlowPoll as SlowPoll
from optimizer.scenarios.subscribe import Subscribe as Subscribe
from optimizer.scenarios.topic import SizedTopic as SizedTopic, TopicEvent as TopicEvent
from optimizer.scenarios.upgrade import Upgrade as Upgrade
from optimizer.settings import DEFAULT_LIMITS as DEFAULT_LIMITS, Limits as Limits
