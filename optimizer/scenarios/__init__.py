"""What may happen to a group: events, and scenarios of them, as objects, as text and as TOML."""

from optimizer.scenarios.broker_down import BrokerDown
from optimizer.scenarios.crash import Crash
from optimizer.scenarios.create import Create
from optimizer.scenarios.delete import Delete
from optimizer.scenarios.duration import seconds_of, seconds_to_text
from optimizer.scenarios.event import Event, EventError, NotApplicableError
from optimizer.scenarios.freeze import Freeze
from optimizer.scenarios.grow import Grow
from optimizer.scenarios.join import Join
from optimizer.scenarios.leave import Leave
from optimizer.scenarios.members import Members
from optimizer.scenarios.migrate import Migrate
from optimizer.scenarios.registry import EVENTS, event_of
from optimizer.scenarios.restart import Restart
from optimizer.scenarios.returning import as_static
from optimizer.scenarios.rolling import in_turn
from optimizer.scenarios.rolling_restart import RollingRestart
from optimizer.scenarios.running import Running
from optimizer.scenarios.scenario import Scenario, Step
from optimizer.scenarios.slow_poll import SlowPoll
from optimizer.scenarios.subscribe import Subscribe
from optimizer.scenarios.topic import SizedTopic, TopicEvent
from optimizer.scenarios.upgrade import Upgrade
from optimizer.settings import DEFAULT_LIMITS, Limits
