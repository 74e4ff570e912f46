"""How far a move is, as a snapshot shows it."""

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from spark.errors import InputError
from spark.reassign.facts import Name, PartitionFacts, ReplicaFacts

DONE, RUNNING, NOT_STARTED, DIVERGED = "done", "running", "not started", "diverged"


class PartitionState(NamedTuple):
    """One partition of a move, and how far it is."""

    topic: str
    partition: int
    state: str
    wanted: list[int]
    replicas: list[int]
    note: str

    def for_people(self) -> dict[str, Any]:
        """The partition in a table that people read."""
        return {
            "partition": f"{self.topic}-{self.partition}",
            "state": self.state,
            "wanted": ",".join(map(str, self.wanted)),
            "replicas": ",".join(map(str, self.replicas)),
            "note": self.note or None,
        }


def verify_move(
    current: ReplicaFacts, wanted: Mapping[Name, list[int]], origin: Mapping[Name, list[int]] | None
) -> list[PartitionState]:
    """The state of each partition of a move; `origin` tells what was there before it began.

    Without that, what isn't as wanted and isn't moving is taken as not started. InputError for a
    broker that the cluster doesn't have, which Kafka's own tool refuses.
    """
    brokers = {
        b
        for of_partition in current.partitions
        for b in (*of_partition.replicas, *of_partition.adding)
    }
    for (topic, number), row in sorted(wanted.items()):
        if unknown := {*row} - brokers - current.racks.keys():
            raise InputError(
                f"{topic}-{number} is to be on broker {min(unknown)}, and cluster "
                f"{current.cluster} doesn't have it: is the file of another cluster?"
            )
    partitions = {partition.name: partition for partition in current.partitions}
    states = []
    for name, row in sorted(wanted.items()):
        partition = partitions.get(name)
        replicas = list(partition.replicas) if partition else []
        state, text = state_of(partition, current.racks, row, (origin or {}).get(name))
        states.append(PartitionState(*name, state, row, replicas, text))
    return states


def state_of(
    partition: PartitionFacts | None,
    alive: Container[int],
    wanted: list[int],
    origin: list[int] | None,
) -> tuple[str, str]:
    """The state of one partition, and a note on it; `alive` are ids of brokers."""
    if partition is None:
        return DIVERGED, "there is no such partition"
    if partition.is_moving:
        return _moving(partition, wanted)
    if partition.replicas == wanted:
        return DONE, _left_to_do(partition)
    if origin is None or alive_of(partition.replicas, alive) == alive_of(origin, alive):
        return NOT_STARTED, ""
    if set(partition.replicas) == set(wanted):
        return DIVERGED, "the brokers are right, their order isn't"
    return DIVERGED, f"it was on {broker_ids(origin)} before"


def alive_of(brokers: list[int], alive: Container[int]) -> list[int]:
    """Brokers of a row that are alive."""
    return [broker for broker in brokers if broker in alive]


def _moving(partition: PartitionFacts, wanted: list[int]) -> tuple[str, str]:
    adding, removing = partition.adding, partition.removing
    if both := sorted({*adding} & {*removing}):
        what = f"{broker_ids(both)} is added and removed at once, which never ends: cancel it"
        return DIVERGED, what
    coming = {*partition.replicas, *adding} - {*removing}
    if coming == set(wanted):
        return RUNNING, f"adding {broker_ids(adding)}, removing {broker_ids(removing)}"
    return DIVERGED, f"it is moving to {broker_ids(sorted(coming))}"


def _left_to_do(partition: PartitionFacts) -> str:
    """Notes on a partition whose replicas are as wanted."""
    replicas, leader = partition.replicas, partition.leader
    if behind := {*replicas} - {*(replicas if partition.isr is None else partition.isr)}:
        return f"out of sync: {broker_ids(sorted(behind))}"
    if leader not in (None, replicas[0]):
        return f"led by {leader}: elect the preferred leader"
    return ""


def broker_ids(brokers: Sequence[int]) -> str:
    """Ids of brokers as Kafka's own tools list them."""
    return ",".join(map(str, brokers)) or "none"
