"""A group, what is done to it under which settings, and what is chance in a run of that."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from optimizer.model import DEFAULT_GOALS, Goals, Group
from optimizer.processes import Step
from optimizer.settings import BrokerSettings, ClientSettings, Delays


class Beating(Protocol):
    """A client, as far as its heartbeats go."""

    name: str
    beats_from: float
    is_classic: bool
    beat_interval: float


class Chance(Random):
    """Draws by a seed; all that a client does comes when it is expected. Times are milliseconds."""

    def beat(self, client: Beating, interval: float, now: float) -> float:
        """When the next regular heartbeat goes out, with so long from one to the next."""
        beats = max(math.floor((now - client.beats_from) / interval), 0)
        return client.beats_from + beats * interval + interval

    def time(self, what: str, name: str, expected: float, after: float) -> float:
        """The time at which a member sends a request or a join, has rejoined or reconciled."""
        return expected

    def look(self, name: str, now: float, age: float) -> float:
        """How long after a topic changed a client, with metadata of that age at most, looks."""
        return self.uniform(0, age)


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
