"""A twin of Kafka's group coordinator and its members: what a scenario does to a group, in time.

simulate(scenario: Scenario, seed: int = 0) -> Timeline
"""

from optimizer.coordinator.chance import Beating, Chance
from optimizer.coordinator.context import Generation, LogEntry, MemberState, Target
from optimizer.coordinator.lag import Lag, PartitionLag, catch_up_seconds
from optimizer.coordinator.ledger import Pause, Reading
from optimizer.coordinator.rebalance_cost import RebalanceCost, rebalance_cost
from optimizer.coordinator.run import simulate
from optimizer.coordinator.scenario import Scenario
from optimizer.coordinator.simulate_events import (
    Down,
    EventsTimeline,
    figures_of,
    scenario_of,
    simulate_events,
)
from optimizer.coordinator.timeline import Timeline
from optimizer.processes import (
    Away,
    Block,
    Close,
    Delete,
    Freeze,
    Grow,
    Kill,
    MoveCoordinator,
    Start,
    Step,
    Subscribe,
)
from optimizer.settings import BrokerSettings, ClientSettings, Delays, Parameters
