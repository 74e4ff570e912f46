"""A cluster as stated: its brokers, its partitions, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple


class InvalidClusterError(ValueError):
    """A cluster that can't be; `faults` lists all that is wrong."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = list(faults)
        super().__init__("the cluster can't be planned: " + "; ".join(self.faults))


class Broker(NamedTuple):
    """A broker; one that isn't `alive` can't be copied from, one not `usable` keeps nothing.

    One that doesn't `receive` keeps what it has at most. `capacity` is any number: a broker of
    twice the capacity shall have twice the replicas; all brokers that are used have one, or none.
    """

    id: int
    rack: str | None = None
    usable: bool = True
    alive: bool = True
    receives: bool = True
    capacity: float | None = None


class Partition(NamedTuple):
    """A partition; `replicas` are ids of brokers in Kafka's order, the preferred leader first.

    Without `replication_factor` it keeps as many as it has; `size` is that of one replica in bytes.
    What is out of `scope` stands still, and counts in the loads.
    """

    topic: str
    partition: int
    replicas: Sequence[int]
    replication_factor: int | None = None
    size: int | None = None
    scope: bool = True


@dataclass(frozen=True, slots=True)
class Cluster:
    """Brokers and partitions in any order. A broker that only replicas name is taken as dead."""

    brokers: Sequence[Broker]
    partitions: Sequence[Partition]

    def check(self) -> None:
        """Raise `InvalidClusterError` with every fault at once."""
        if faults := [*_broker_faults(self.brokers), *_partition_faults(self.partitions)]:
            raise InvalidClusterError(faults)


def _broker_faults(brokers: Sequence[Broker]) -> Iterator[str]:
    for broker, times in Counter(broker.id for broker in brokers).items():
        if times > 1:
            yield f"{times} brokers have the id {broker}"
        if broker < 0:
            yield f"broker {broker} has a negative id"
    for broker_id, capacity in [(b.id, b.capacity) for b in brokers if b.capacity is not None]:
        if not (isfinite(capacity) and capacity > 0):
            yield f"broker {broker_id} has the capacity {capacity}, which isn't above 0"
    used = [broker for broker in brokers if broker.usable and broker.alive]
    if len({broker.capacity is None for broker in used}) > 1:
        without = next(broker.id for broker in used if broker.capacity is None)
        yield f"broker {without} has no capacity, and others have one: state it for all or none"


def _partition_faults(partitions: Sequence[Partition]) -> Iterator[str]:
    names = [(one.topic, one.partition) for one in partitions]
    if len(set(names)) < len(names):
        for (topic, number), times in Counter(names).items():
            if times > 1:
                yield f"{topic}-{number} is there {times} times"
    for one in partitions:
        replicas = one.replicas
        if len(set(replicas)) < len(replicas):
            yield f"{one.topic}-{one.partition} has a broker twice: {list(replicas)}"
        if one.partition < 0 or (len(replicas) and min(replicas) < 0):
            yield f"{one.topic}-{one.partition} has a negative number"
        if one.replication_factor is not None and one.replication_factor < 1:
            yield f"{one.topic}-{one.partition} is to have {one.replication_factor} replicas"
        if one.size is not None and one.size < 0:
            yield f"{one.topic}-{one.partition} has the size {one.size}"
