"""A run of a scenario, from a group at rest until it is at rest again, and what it came to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import Context, Generation, LogEntry, MemberState, Target
from optimizer.coordinator.lag import Lag
from optimizer.coordinator.ledger import NEVER, Pause, Reading
from optimizer.coordinator.scenario import Scenario
from optimizer.coordinator.simulator import Simulator

Partition = tuple[str, int]


@dataclass(frozen=True)
class Timeline:
    """One run of a scenario; times are milliseconds from its start, figures in seconds.

    Partitions are numbers into `partitions`, readers are numbers into `lives`: the member's name of
    each life of a process. `generations` are those of the classic protocol, `epochs` and `targets`
    those of KIP-848, whose members' states are in `member_states`. `final` is what the
    members of the group have at the end by the coordinator's account; `stable` tells whether the
    group was at rest then. Partitions `stopped_needlessly` for a rebalance went on with the same
    member, so often; `moved` ones changed hands although their owner was in the group still, and
    `taken_over` ones because it had left. `rebalances` are generations, or target assignments under
    KIP-848. `lag` is None unless rates and what a member can read are known. Without details the
    sequences are empty, but for `happenings` that are errors.
    """

    partitions: Sequence[Partition]
    lives: Sequence[str]
    start: float
    end: float
    stable: bool
    happenings: Sequence[LogEntry]
    generations: Sequence[Generation]
    epochs: Sequence[tuple[float, int]]
    targets: Sequence[Target]
    member_states: Sequence[MemberState]
    rebalances: int
    unread_before_end: Mapping[int, float]
    longest_pause_before_end: float
    stopped_needlessly: int
    moved: int
    taken_over: int
    pauses: Sequence[Pause]
    unread_at_end: Mapping[int, float]
    readings: Sequence[Reading]
    moves: Sequence[tuple[float, int, int, int]]
    takeovers: Sequence[tuple[float, int, int, int]]
    overlaps: Sequence[tuple[float, int, int, int]]
    reread: Mapping[int, float]
    rates: Mapping[int, float]
    lag: Lag | None
    final: Mapping[str, Parts]

    @cached_property
    def unread(self) -> dict[Partition, float]:
        """Seconds in which nobody read a partition, of those that were unread at all."""
        seconds = defaultdict(float, self.unread_before_end)
        for partition, since in self.unread_at_end.items():
            seconds[partition] += (self.end - since) / 1000
        return {
            self.partitions[partition]: seconds[partition]
            for partition in sorted(seconds)
            if seconds[partition] > 0
        }

    @cached_property
    def unread_seconds(self) -> float:
        """Partition-seconds in which partitions were unread."""
        return sum(self.unread.values())

    @cached_property
    def longest_pause(self) -> float:
        """Seconds of the longest time in which one partition was unread."""
        at_end = ((self.end - since) / 1000 for since in self.unread_at_end.values())
        return max([self.longest_pause_before_end, *at_end])

    @property
    def fatal(self) -> int:
        """Members that ended by an error."""
        return sum(entry.what == "error" for entry in self.happenings)

    @property
    def seconds_read_twice(self) -> float:
        """Partition-seconds that are read again, since they weren't committed."""
        return sum(self.reread.values()) / 1000

    @property
    def records_read_twice(self) -> float | None:
        """Records that are read again; None where no rates are known."""
        if not self.rates:
            return None
        return sum(
            self.rates.get(partition, 0) * ms / 1000 for partition, ms in self.reread.items()
        )

    @property
    def records_waited(self) -> float | None:
        """Records that came in while their partition was unread; None where no rates are known."""
        if not self.rates:
            return None
        number = {name: at for at, name in enumerate(self.partitions)}
        return sum(self.rates.get(number[partition], 0) * s for partition, s in self.unread.items())


LONGEST_MS = 24 * 3_600_000
"""After so long without a rest a run is given up, and said not to be stable."""

OF_CONTEXT = "happenings", "generations", "epochs", "targets", "member_states", "rebalances"
OF_LEDGER = (
    *("stopped_needlessly", "moved", "taken_over"),
    *("pauses", "readings", "moves", "takeovers"),
)
"""Fields of a timeline that a run has under these names."""


def simulate(scenario: Scenario, seed: int = 0, details: bool = True) -> Timeline:
    """Simulate a group in a scenario, the same every time for one seed.

    Without `details` the timeline has the figures alone: those of a large group take gigabytes.

    The seed settles what is chance in life: phases of heartbeats and metadata, ids of members.
    Raises ValueError for settings and steps that make no sense, StrategyError where Kafka's own
    assignor throws.
    """
    context = Context(scenario, seed, details)
    simulator = Simulator(context)
    steps = sorted(scenario.steps, key=lambda step: step.at)
    context.ledger.appear(0, range(len(context.catalog)))
    _put_at_rest(simulator)
    simulator.prepare(steps)
    _run(simulator, steps[-1].at if steps else 0)
    return _account(simulator)


def _run(simulator: Simulator, last_step: float) -> None:
    clock, end = simulator.context.clock, simulator.context.scenario.end
    if end is not None:
        clock.run(end)
        return
    clock.run(last_step)
    while (time := clock.next_time) is not None and time <= last_step + LONGEST_MS:
        if _at_rest(simulator):
            # who has just been given something has still to fetch it
            clock.run(clock.now + 2 * simulator.context.delays.fetch)
            if _at_rest(simulator):
                break
        else:
            clock.run(time)


def _account(simulator: Simulator) -> Timeline:
    context = simulator.context
    ledger, names = context.ledger, context.catalog.names
    alive = simulator.alive()
    subscribed = {topic for client in alive for topic in client.topics}
    unread = {
        partition: since
        for partition, (reader, since, _) in ledger.stopped.items()
        if names[partition][0] in subscribed or (reader != NEVER and not alive)
    }
    lag = ledger.end(context.now, unread)
    if lag and lag.never and context.scenario.peak_rate is None:
        lag = None  # members may read more than they were seen to
    return Timeline(
        partitions=names,
        lives=context.names,
        start=0,
        end=context.now,
        stable=_at_rest(simulator),
        unread_before_end=ledger.unread,
        longest_pause_before_end=ledger.longest_pause,
        unread_at_end=unread,
        overlaps=ledger.twice_at_once,
        reread=ledger.read_twice,
        rates={
            partition: rate
            for partition in range(len(names))
            if (rate := context.rate_of(partition)) is not None
        },
        lag=lag,
        final=simulator.coordinator.group.assignments,
        **{name: getattr(context, name) for name in OF_CONTEXT},
        **{name: getattr(ledger, name) for name in OF_LEDGER},
    )


def _put_at_rest(simulator: Simulator) -> None:
    """The members of the scenario's group are there, joined long ago, and own what they own."""
    group = simulator.context.scenario.group
    if not group.members:
        return
    phase = simulator.context.chance.random()
    generation = max((member.generation or 1 for member in group.members), default=1)
    clients = [simulator.appear(member) for member in group.members]
    for client, owned in zip(clients, _partitions_of_members(simulator), strict=True):
        _settle(simulator, client, owned, phase)
    simulator.coordinator.settle(clients, generation)


def _partitions_of_members(simulator: Simulator) -> list[Parts]:
    """The partitions of each member; the later one has those that two claim."""
    numbers = simulator.context.catalog.numbers
    members = simulator.context.scenario.group.members
    holder = {
        numbers[topic, number]: at
        for at, member in enumerate(members)
        for topic, number, *_ in member.owned
        if (topic, number) in numbers
    }
    owned: list[set[int]] = [set() for _ in members]
    for partition, at in holder.items():
        owned[at].add(partition)
    return [frozenset(parts) for parts in owned]


def _settle(simulator: Simulator, client: Client, owned: Parts, phase: float) -> None:
    context = simulator.context
    if not client.is_classic:
        phase = context.chance.random()  # only classic members beat in step
    client.owned = owned
    client.beats_from = client.sign_of_life = -phase * client.beat_interval
    since_commit = context.chance.random() * client.settings.commit_ms
    client.committed = -since_commit if client.settings.auto_commit else 0.0
    context.ledger.at_rest(client.number, owned)


def _at_rest(simulator: Simulator) -> bool:
    """Whether nothing more can come by itself."""
    if simulator.unnoticed or simulator.context.away or not simulator.coordinator.group.at_rest:
        return False
    return not any(
        client.busy or client.blocked_until > simulator.context.now for client in simulator.alive()
    )
