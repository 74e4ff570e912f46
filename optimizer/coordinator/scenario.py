"""A group, and what is done to it under which settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from optimizer.coordinator.chance import Chance
from optimizer.model import DEFAULT_GOALS, Goals, Group
from optimizer.processes import Step
from optimizer.settings import BrokerSettings, ClientSettings, Delays


@dataclass(frozen=True)
class Scenario:
    """A group, what is done to it, and under which settings. Times are milliseconds from 0.

    The members of `group` are there and at rest at time 0 and own what the group says; their
    `member_id` is the name by which steps call them. `clients` has the settings of members by
    name, `client` those of all others. `end` is when the account stops; None: when the group is at
    rest after the last step. `rates` are records a second of each partition of a topic, and
    `peak_rate` is what a member can read of all its partitions: with both, the run tells the lag.
    Without one `seen_peak_rate` stands for it, the most that one was seen to read, where that says
    what members can: where the busiest has less to read now, and no partition goes on to lag.
    `lag` are the records that each partition of a topic is behind at time 0.
    `chance` makes what draws, of a seed. `goals` are those of `optimal`; `capacities` are those of
    members by name, 1 for all others.
    """

    group: Group
    steps: Sequence[Step] = ()
    client: ClientSettings = field(default_factory=ClientSettings)
    clients: Mapping[str, ClientSettings] = field(default_factory=dict)
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    delays: Delays = field(default_factory=Delays)
    rates: Mapping[str, Sequence[float]] = field(default_factory=dict)
    peak_rate: float | None = None
    lag: Mapping[str, Sequence[float]] = field(default_factory=dict)
    chance: Callable[[int], Chance] = Chance
    end: float | None = None
    goals: Goals = DEFAULT_GOALS
    capacities: Mapping[str, float] = field(default_factory=dict)
    seen_peak_rate: float | None = None
