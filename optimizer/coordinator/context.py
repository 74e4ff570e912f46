"""The time, topics, accounts and chance that all actors of a run share."""

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.catalog import Catalog
from optimizer.coordinator.lag import Backlog, peak_rate_of
from optimizer.coordinator.ledger import Ledger
from optimizer.coordinator.scenario import Scenario


class Clock:
    """Runs actions in the order of their times; those of one time in the order they were set."""

    def __init__(self) -> None:
        self.now = 0.0
        self._queue: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._set = 0

    def at(self, time: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something at a time in milliseconds; what is late already is done next."""
        self._set += 1
        heapq.heappush(self._queue, (max(time, self.now), self._set, action, arguments))

    def run(self, until: float) -> None:
        """Let time pass up to and including `until`."""
        queue = self._queue
        while queue and queue[0][0] <= until:
            self.now, _, action, arguments = heapq.heappop(queue)
            action(*arguments)
        self.now = max(self.now, until)

    @property
    def next_time(self) -> float | None:
        """When something happens next; None if nothing will."""
        return self._queue[0][0] if self._queue else None


NONE: Parts = frozenset()


class LogEntry(NamedTuple):
    """Something that happened: to whom, with which partitions (of the catalog), and why."""

    at: float
    what: str
    member: str | None = None
    generation: int | None = None
    partitions: Parts = NONE
    why: str | None = None
    member_id: str | None = None


class Generation(NamedTuple):
    """Outcome of a rebalance of the classic protocol, by names of members.

    `assignment` is what the leader handed out; None if it never came to that. The members that
    were counted without having joined (static ones that are away) are in `absent`.
    """

    at: float
    number: int
    members: tuple[str, ...]
    absent: tuple[str, ...]
    leader: str | None
    protocol: str | None
    assignment: dict[str, Parts] | None
    member_ids: tuple[str, ...]


class Target(NamedTuple):
    """A target assignment of KIP-848: epoch, assignor, and the partitions of each member."""

    at: float
    epoch: int
    assignor: str
    assignment: dict[str, Parts]


class MemberState(NamedTuple):
    """State that the coordinator set for a member of KIP-848 at a heartbeat (CurrentAssignment)."""

    at: float
    member: str
    epoch: int
    previous_epoch: int
    state: str
    assigned: Parts
    revoking: Parts


class Context:
    """One run; `details` as for `simulate`."""

    def __init__(self, scenario: Scenario, seed: int, details: bool = True) -> None:
        self.scenario = scenario
        self.broker = scenario.broker
        self.delays = scenario.delays
        self.clock = Clock()
        self.catalog = Catalog(scenario.group)
        self.details = details
        self.ledger = Ledger(details, self._backlog())
        self.rebalances = 0
        self.chance = scenario.chance(seed)
        self.happenings: list[LogEntry] = []
        self.generations: list[Generation] = []
        self.epochs: list[tuple[float, int]] = []
        self.targets: list[Target] = []
        self.member_states: list[MemberState] = []
        self.names: list[str] = []
        self.away: set[int] = set()
        self.gone: frozenset[int] = NONE

    @property
    def now(self) -> float:
        """Milliseconds since the scenario began."""
        return self.clock.now

    def rate_of(self, partition: int) -> float | None:
        """Records a second that come in to a partition of the catalog; None where unknown."""
        topic, number = self.catalog.names[partition]
        rates = self.scenario.rates.get(topic, ())
        return float(rates[number]) if number < len(rates) else None

    def _backlog(self) -> Backlog | None:
        """An account of lag, where the scenario says what comes in and what members can read."""
        peak_rate = self.scenario.peak_rate
        if peak_rate is None:
            peak_rate = peak_rate_of(
                self.scenario.group, self.scenario.rates, self.scenario.seen_peak_rate
            )
        if not self.scenario.rates or peak_rate is None:
            return None
        numbers = self.catalog.numbers
        lag = {
            numbers[topic, number]: float(records)
            for topic, of_topic in self.scenario.lag.items()
            for number, records in enumerate(of_topic)
            if (topic, number) in numbers
        }
        return Backlog(lambda partition: self.rate_of(partition) or 0.0, peak_rate, lag)

    def after(self, delay: float, action: Callable[..., None], *arguments: Any) -> None:
        """Do something in that many milliseconds."""
        self.clock.at(self.clock.now + delay, action, *arguments)

    def log(self, what: str, member: str | None = None, **columns: Any) -> None:
        """Write down what happens now, with fields of a `LogEntry`; without details only errors."""
        if self.details or what == "error":
            self.happenings.append(LogEntry(self.clock.now, what, member, **columns))

    def new_id(self) -> str:
        """A random id, the same each time for one seed."""
        return str(UUID(int=self.chance.getrandbits(128), version=4))
