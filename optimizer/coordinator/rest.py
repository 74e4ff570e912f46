"""Groups at rest: how a run begins, and when it may end."""

from __future__ import annotations

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.simulator import Simulator
from optimizer.model import Group


def put_at_rest(simulator: Simulator) -> None:
    """The members of the scenario's group are there, joined long ago, and own what they own."""
    group: Group = simulator.context.scenario.group
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
        numbers[one[0], one[1]]: at
        for at, member in enumerate(members)
        for one in member.owned
        if (one[0], one[1]) in numbers
    }
    owned: list[set[int]] = [set() for _ in members]
    for partition, at in holder.items():
        owned[at].add(partition)
    return [frozenset(one) for one in owned]


def _settle(simulator: Simulator, client: Client, owned: Parts, phase: float) -> None:
    context = simulator.context
    if not client.is_classic:
        phase = context.chance.random()  # only classic members beat in step
    client.owned = owned
    client.beats_from = client.sign_of_life = -phase * client.beat_interval
    client.committed = -context.chance.random() * client.settings.commit_ms
    context.ledger.owner.update(dict.fromkeys(owned, client.number))
    for partition in owned:
        context.ledger.stopped.pop(partition, None)
        context.ledger.readers[partition] = client.number, 0.0, 0.0


def at_rest(simulator: Simulator) -> bool:
    """Whether nothing more can come by itself."""
    if simulator.unnoticed or simulator.context.away or not simulator.coordinator.group.at_rest:
        return False
    return not any(
        client.busy or client.blocked_until > simulator.context.now for client in simulator.alive()
    )
