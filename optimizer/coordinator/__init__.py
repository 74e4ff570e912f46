"""A twin of Kafka's group coordinator and its members: what a scenario does to a group, in time.

simulate(scenario: Scenario, seed: int = 0) -> Timeline
"""

from __future__ import annotations

from optimizer.coordinator.chance import Beating as Beating, Chance as Chance
from optimizer.coordinator.context import (
    Generation as Generation,
    LogEntry as LogEntry,
    MemberState as MemberState,
    Target as Target,
)
from optimizer.coordinator.events import as_stated as as_stated, steps_of as steps_of
from optimizer.coordinator.lag import (
    Lag as Lag,
    PartitionLag as PartitionLag,
    peak_rate_of as peak_rate_of,
)
from optimizer.coordinator.ledger import Pause as Pause, Reading as Reading
from optimizer.coordinator.rebalance_cost import (
    RebalanceCost as RebalanceCost,
    rebalance_cost as rebalance_cost,
)
from optimizer.coordinator.run import simulate as simulate
from optimizer.coordinator.scenario import Scenario as Scenario
from optimizer.coordinator.simulate_events import (
    Down as Down,
    EventsTimeline as EventsTimeline,
    figures_of as figures_of,
    lag_figures as lag_figures,
    simulate_events as simulate_events,
)
from optimizer.coordinator.timeline import Timeline as Timeline
from optimizer.processes import (
    Away as Away,
    Block as Block,
    Close as Close,
    Delete as Delete,
    Freeze as Freeze,
    Grow as Grow,
    Kill as Kill,
    MoveCoordinator as MoveCoordinator,
    Start as Start,
    Step as Step,
    Subscribe as Subscribe,
)
from optimizer.settings import (
    BrokerSettings as BrokerSettings,
    ClientSettings as ClientSettings,
    Delays as Delays,
    Parameters as Parameters,
)
