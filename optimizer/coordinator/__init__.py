"""A twin of Kafka's group coordinator and its members: what a scenario does to a group, in time.

* `simulate(Scenario(group, steps, ...), seed) -> Timeline`: a group at rest, and what is done to
  its processes and topics (`Start`, `Close`, `Kill`, `Block`, `Freeze`, `Subscribe`, `Grow`,
  `Delete`, `Away`, `MoveCoordinator`), each at its time. Settings are Kafka's: `ClientSettings` and
  `BrokerSettings`; `Delays` are what a network takes, `Chance` what draws.
* `scenario_of(group, timed events, parameters)`: the same of events of `optimizer.scenarios`.
* `simulate_events(group, events, parameters, name)`: these one after the other, each when the group
  is at rest, and the members' loads at the end.
* `figures_of(timeline)`: what it costs, the columns of `EventCost`; `rebalance_cost` the means of
  several runs of one event. A `Timeline` has all that happened: `happenings`, `pauses`, `lag`.
"""

from optimizer.coordinator.context import Generation, LogEntry, MemberState, Target
from optimizer.coordinator.lag import Lag, PartitionLag, catch_up_seconds
from optimizer.coordinator.ledger import Pause, Reading
from optimizer.coordinator.run import Timeline, simulate
from optimizer.coordinator.scenario import Beating, Chance, Scenario
from optimizer.coordinator.simulate_events import (
    SUMMED_COSTS,
    TITLES,
    WORST_COSTS,
    Down,
    EventCost,
    EventsTimeline,
    RebalanceCost,
    figures_of,
    rebalance_cost,
    scenario_of,
    simulate_events,
)
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
