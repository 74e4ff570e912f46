"""Groups at rest: how a run begins, and when it may end."""

from __future__ import annotations

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.classic_client import ClassicClient
from optimizer.coordinator.modern_client import ModernClient
from optimizer.coordinator.stage import Stage
from optimizer.model import Group


def put_at_rest(stage: Stage) -> None:
    """The members of the scenario's group are there, joined long ago, and own what they own."""
    group: Group = stage.world.scenario.group
    if not group.members:
        return
    phase = stage.world.chance.random()
    generation = max((member.generation or 1 for member in group.members), default=1)
    clients = [stage.appear(member) for member in group.members]
    for client, owned in zip(clients, _owned(stage), strict=True):
        _settle(stage, client, owned, phase)
    stage.coordinator.settle(clients, generation)


def _owned(stage: Stage) -> list[Parts]:
    """What each member owns; what two claim is the later one's."""
    numbers = stage.world.catalog.numbers
    members = stage.world.scenario.group.members
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


def _settle(stage: Stage, client: ClassicClient | ModernClient, owned: Parts, phase: float) -> None:
    world = stage.world
    if isinstance(client, ModernClient):
        phase = world.chance.random()  # only classic members beat in step
    client.owned = owned
    client.beats_from = client.sign_of_life = -phase * client.beat_interval
    client.committed = -world.chance.random() * client.settings.commit_ms
    world.ledger.owner.update(dict.fromkeys(owned, client.number))
    for partition in owned:
        world.ledger.stopped.pop(partition, None)
        world.ledger.readers[partition] = client.number, 0.0, 0.0


def at_rest(stage: Stage) -> bool:
    """Whether nothing more can come by itself."""
    if stage.unnoticed or stage.world.away or not stage.coordinator.group.at_rest:
        return False
    return not any(
        client.busy or client.blocked_until > stage.world.now for client in stage.alive()
    )
