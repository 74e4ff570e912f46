"""A cluster's brokers and partitions, and what their placement is to be."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
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

    @property
    def is_used(self) -> bool:
        """Whether it keeps replicas, and gets them if it receives."""
        return self.usable and self.alive


class Partition(NamedTuple):
    """A partition; `replicas` are ids of brokers in Kafka's order, the preferred leader first.

    Without `replication_factor` it keeps as many as it has; `size` is that of one replica in bytes.
    What is out of `scope` stands still, and counts in the loads. One that `is_new` has no replicas
    yet, and gets them all.
    """

    topic: str
    partition: int
    replicas: Sequence[int]
    replication_factor: int | None = None
    size: int | None = None
    scope: bool = True
    is_new: bool = False

    @property
    def name(self) -> str:
        """The name that Kafka's tools print: `orders-3`."""
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Brokers and partitions in any order. A broker that only replicas name is taken as dead."""

    brokers: Sequence[Broker]
    partitions: Sequence[Partition]

    def check(self) -> None:
        """Raise `InvalidClusterError` with every fault at once."""
        if faults := [*_broker_faults(self.brokers), *_partition_faults(self.partitions)]:
            raise InvalidClusterError(faults)


MOST_CAPACITY = 1e100

MOST_BYTES = 2**62
"""The largest size of one replica: 4.6 exabytes."""


def _is_number(value: object, most: int = 2**31 - 1) -> bool:
    """Whether it is a whole number from 0 on, as Kafka has them."""
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= most


def _broker_faults(brokers: Sequence[Broker]) -> Iterator[str]:
    for broker, times in Counter(broker.id for broker in brokers).items():
        if times > 1:
            yield f"{times} brokers have the id {broker}"
        if not _is_number(broker):
            yield f"broker {broker!r:.40} has an id that isn't a number from 0 to 2147483647"
    for broker_id, capacity in [(b.id, b.capacity) for b in brokers if b.capacity is not None]:
        is_real = isinstance(capacity, Real) and not isinstance(capacity, bool)
        if not (is_real and 0 < capacity <= MOST_CAPACITY):
            yield f"broker {broker_id} has the capacity {capacity!r:.40}, which isn't above 0"
    used = [broker for broker in brokers if broker.is_used]
    if len({broker.capacity is None for broker in used}) > 1:
        without = next(broker.id for broker in used if broker.capacity is None)
        yield f"broker {without} has no capacity, and others have one: state it for all or none"


def _partition_faults(partitions: Sequence[Partition]) -> Iterator[str]:
    names = Counter((partition.topic, partition.partition) for partition in partitions)
    for (topic, number), times in names.items() if len(names) < len(partitions) else ():
        if times > 1:
            yield f"{topic}-{number} is there {times} times"
    numbers = {*(partition.partition for partition in partitions)}.union(
        *(partition.replicas for partition in partitions)
    )
    odd_numbers = not all(map(_is_number, numbers))
    for partition in partitions:
        replicas, factor = partition.replicas, partition.replication_factor
        if len(set(replicas)) < len(replicas):
            yield f"{partition.name} has a broker twice: {list(replicas)}"
        if odd_numbers and not all(map(_is_number, (partition.partition, *replicas))):
            yield f"{partition.name} has a number that isn't from 0 to 2147483647"
        if factor is not None and not (_is_number(factor, 2**15 - 1) and factor):
            yield f"{partition.name} is to have {factor!r:.40} replicas"
        if partition.size is not None and not _is_number(partition.size, MOST_BYTES):
            yield f"{partition.name} has the size {partition.size!r:.40}"


BALANCE, TOPICS, COPIES, BYTES = "balance", "topics", "copies", "bytes"
LEVELS = (BALANCE, TOPICS, COPIES, BYTES)


class ReplicaGoalsError(ValueError):
    """Goals that contradict themselves."""


@dataclass(frozen=True)
class ReplicaGoals:
    """Racks always come first; then these levels, each kept at its best while the next improves.

    `balance`, `topics`, `copies` and `bytes` are the levels of this module; one of the last two is
    there. After the replicas, leaders: least Σ leaders² of brokers (where `topics` comes before
    `balance`, of each topic first), then leaders in the rack that `leader_racks` names for a
    partition, then the fewest changes of preferred leaders. `leaders_only` leaves replicas where
    they are. `most_copies`: the largest number, for which balance gives way.
    """

    levels: tuple[str, ...] = (BALANCE, COPIES)
    leaders_only: bool = False
    leader_racks: Mapping[tuple[str, int], str] = field(default_factory=dict)
    most_copies: int | None = None

    def __post_init__(self) -> None:
        unknown = [level for level in self.levels if level not in LEVELS]
        if unknown:
            raise ReplicaGoalsError(
                f"unknown level {unknown[0]!r}: choose one of {', '.join(LEVELS)}"
            )
        if len(set(self.levels)) < len(self.levels):
            raise ReplicaGoalsError(f"a level is there twice: {', '.join(self.levels)}")
        if BALANCE not in self.levels:
            raise ReplicaGoalsError(f"the levels lack {BALANCE!r}")
        if (COPIES in self.levels) + (BYTES in self.levels) != 1:
            raise ReplicaGoalsError(f"the levels have either {COPIES!r} or {BYTES!r}")
        if self.most_copies is None:
            return
        if self.most_copies < 0:
            raise ReplicaGoalsError(
                f"the limit of copies is {self.most_copies} and must be 0 or more"
            )
        if self.levels != (BALANCE, COPIES):
            raise ReplicaGoalsError(
                f"a limit of copies is for the levels {BALANCE}, {COPIES}, not for "
                f"{', '.join(self.levels)}"
            )

    @property
    def spreads_topics_first(self) -> bool:
        """Whether each topic is even over brokers before the cluster is."""
        return TOPICS in self.levels[: self.levels.index(BALANCE)]
