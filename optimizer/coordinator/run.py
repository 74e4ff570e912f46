"""A run of a scenario: from a group at rest until it is at rest again."""

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import Context
from optimizer.coordinator.ledger import NEVER
from optimizer.coordinator.scenario import Scenario
from optimizer.coordinator.simulator import Simulator
from optimizer.coordinator.timeline import Timeline

LONGEST_MS = 24 * 3_600_000
"""After so long without a rest a run is given up, and said not to be stable."""

OF_CONTEXT = "happenings", "generations", "epochs", "targets", "member_states", "rebalances"
OF_LEDGER = (
    *("stopped_needlessly", "moved", "taken_over"),
    *("pauses", "readings", "moves", "takeovers"),
)
"""What a timeline has under the names that it has in a run."""


def simulate(scenario: Scenario, seed: int = 0, details: bool = True) -> Timeline:
    """What a group does in a scenario, the same every time for one seed.

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
        item: since
        for item, (reader, since, _) in ledger.stopped.items()
        if names[item][0] in subscribed or (reader != NEVER and not alive)
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
            item: rate for item in range(len(names)) if (rate := context.rate_of(item)) is not None
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
    for client, owned in zip(clients, _owned(simulator), strict=True):
        _settle(simulator, client, owned, phase)
    simulator.coordinator.settle(clients, generation)


def _owned(simulator: Simulator) -> list[Parts]:
    """What each member owns; what two claim is the later one's."""
    numbers = simulator.context.catalog.numbers
    members = simulator.context.scenario.group.members
    holder = {
        numbers[item[0], item[1]]: at
        for at, member in enumerate(members)
        for item in member.owned
        if (item[0], item[1]) in numbers
    }
    owned: list[set[int]] = [set() for _ in members]
    for partition, at in holder.items():
        owned[at].add(partition)
    return [frozenset(item) for item in owned]


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
