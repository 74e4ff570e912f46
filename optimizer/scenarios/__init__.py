"""Events that may happen to a group, and scenarios of them, as objects, as text and as TOML."""

from optimizer.scenarios.event import (
    Event,
    EventError,
    NotApplicableError,
    Running,
    as_stated,
    seconds_of,
    seconds_to_text,
)
from optimizer.scenarios.members import Crash, Join, Leave, Members, Subscribe
from optimizer.scenarios.pauses import Freeze, Restart, SlowPoll, as_static
from optimizer.scenarios.rolling import Migrate, RollingRestart, Upgrade
from optimizer.scenarios.scenario import EVENTS, Scenario, Step, event_of
from optimizer.scenarios.topics import (
    BrokerDown,
    Create,
    Delete,
    Grow,
    SizedTopic,
    TopicEvent,
    brokers_down,
)
from optimizer.settings import DEFAULT_LIMITS, Timeouts
