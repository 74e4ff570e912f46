"""What may happen to a group: events, and scenarios of them, as objects, as text and as TOML."""

from optimizer.scenarios.broker_down import BrokerDown, brokers_down
from optimizer.scenarios.crash import Crash
from optimizer.scenarios.event import (
    Event,
    EventError,
    NotApplicableError,
    Running,
    as_stated,
    seconds_of,
    seconds_to_text,
)
from optimizer.scenarios.pauses import Freeze, Restart, SlowPoll, as_static
from optimizer.scenarios.registry import EVENTS, event_of
from optimizer.scenarios.rolling import Migrate, RollingRestart, Upgrade
from optimizer.scenarios.scenario import Scenario, Step
from optimizer.scenarios.sizes import Join, Leave, Members
from optimizer.scenarios.subscribe import Subscribe
from optimizer.scenarios.topics import Create, Delete, Grow, SizedTopic, TopicEvent
from optimizer.settings import DEFAULT_LIMITS, Limits
