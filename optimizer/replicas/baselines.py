"""Replicas as kafka-reassign-partitions --generate places them, in 4.1 and later and before."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from optimizer.replicas import Cluster, Partition
from optimizer.strategies.kafka import in_hash_order, string_hash, utf16

MULTIPLIER, MASK = 0x5DEECE66D, (1 << 48) - 1


class JavaRandom:
    """Random numbers as a java.util.Random with that seed draws them."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ MULTIPLIER) & MASK

    def next_int(self, bound: int) -> int:
        """A number from 0 up to a bound, which it never is."""
        if bound & (bound - 1) == 0:
            return bound * self._next() >> 31
        while True:
            bits = self._next()
            value = bits % bound
            if bits - value + bound - 1 < 1 << 31:
                return value

    def _next(self) -> int:
        """31 bits."""
        self._state = (self._state * MULTIPLIER + 0xB) & MASK
        return self._state >> 17

    def shuffle(self, cards: list[Any]) -> None:
        """Collections.shuffle of a list that can be indexed."""
        for size in range(len(cards), 1, -1):
            other = self.next_int(size)
            cards[size - 1], cards[other] = cards[other], cards[size - 1]


Rack = str | None


class PlacementError(ValueError):
    """Kafka refuses to place so."""


def stripe(
    brokers: Sequence[tuple[int, Rack]], partitions: int, replicas: int, random: JavaRandom
) -> list[list[int]]:
    """StripedReplicaPlacer: replicas of a new topic on such brokers (id, rack), none fenced.

    Raises `PlacementError` where there are fewer brokers than replicas.
    """
    if replicas > len(brokers):
        raise PlacementError(
            f"the replication factor of {replicas} can't be reached: there are {len(brokers)} "
            "brokers"
        )
    racks = _RackList(brokers, random)
    return [racks.place(replicas) for _ in range(partitions)]


class _RackBrokers:
    """The brokers of a rack. Each partition begins one further on; each broker is given once."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._start = self._index = self._epoch = 0

    def begin(self, random: JavaRandom) -> None:
        self.ids.sort()
        self._start = random.next_int(len(self.ids))

    def next(self, epoch: int) -> int | None:
        """The next one for that partition; None if all have been given."""
        if self._epoch != epoch:
            self._epoch, self._index = epoch, 0
            self._start = (self._start + 1) % len(self.ids)
        if self._index >= len(self.ids):
            return None
        self._index += 1
        return self.ids[(self._index - 1 + self._start) % len(self.ids)]


class _RackList:
    def __init__(self, brokers: Sequence[tuple[int, Rack]], random: JavaRandom) -> None:
        self._random = random
        by_rack: dict[Rack, _RackBrokers] = {}
        for broker, rack in brokers:
            by_rack.setdefault(rack, _RackBrokers()).ids.append(broker)
        self._racks = {rack: by_rack[rack] for rack in _as_hashed(list(by_rack))}
        for in_rack in self._racks.values():
            in_rack.begin(random)
        self._names = sorted(by_rack, key=lambda rack: (rack is not None, utf16(rack or "")))
        self._offset = random.next_int(len(self._names)) if self._names else 0
        self._brokers, self._epoch = len(brokers), 0

    def place(self, replicas: int) -> list[int]:
        """One partition: a broker of the rack whose turn it is, then round and round the others."""
        if self._epoch == self._brokers > 1:
            self._shuffle()
            self._epoch = 0
        self._offset %= len(self._names)
        first = self._offset
        while (broker := self._next(first)) is None:
            first = (first + 1) % len(self._names)
        replica_brokers, at = [broker], self._offset
        passed_over = False
        while len(replica_brokers) < replicas:
            if at == first and not passed_over:
                passed_over = True  # it has given its one
            elif (broker := self._next(at)) is not None:
                replica_brokers.append(broker)
            at = (at + 1) % len(self._names)
        self._epoch += 1
        self._offset += 1
        return replica_brokers

    def _next(self, rack: int) -> int | None:
        return self._racks[self._names[rack]].next(self._epoch)

    def _shuffle(self) -> None:
        self._random.shuffle(self._names)
        for rack in self._racks.values():
            self._random.shuffle(rack.ids)


def _as_hashed(racks: list[Rack]) -> list[Rack]:
    """Racks as a HashMap of Optional<String> iterates them; that of no rack hashes to 0."""
    order = in_hash_order(
        range(len(racks)),
        lambda at: string_hash(racks[at] or ""),
        lambda at: utf16(racks[at] or ""),
    )
    return [racks[at] for at in order]


def round_robin(
    brokers: Sequence[tuple[int, Rack]], partitions: int, replicas: int, start: int, shift: int
) -> list[list[int]]:
    """AdminUtils, up to 4.0: replicas of a topic; Kafka draws `start` and `shift` for each.

    Brokers (id, rack) are gone through rack by rack in turn, or as they come if no rack is known.
    Raises `PlacementError` where there are fewer brokers than replicas, or racks of some only.
    """
    racks = dict(brokers)
    if replicas > len(racks):
        raise PlacementError(
            f"the replication factor of {replicas} is larger than the {len(racks)} brokers"
        )
    rack_names = {rack for rack in racks.values() if rack is not None}
    if rack_names and None in racks.values():
        raise PlacementError("not all brokers have a rack")
    order = alternate_racks(racks) if rack_names else [broker for broker, _ in brokers]
    placed = []
    for partition in range(partitions):
        if partition and partition % len(order) == 0:
            shift += 1
        first = (partition + start) % len(order)
        others = _others(order, first, shift * (len(rack_names) or 1))
        placed.append(_pick(order[first], others, racks, replicas, max(len(rack_names), 1)))
    return placed


def alternate_racks(racks: dict[int, Rack]) -> list[int]:
    """Brokers in the order of their ids, one of each rack in turn."""
    names = sorted({rack or "" for rack in racks.values()})
    columns = [sorted(b for b, rack in racks.items() if rack == name) for name in names]
    return [b for row in zip_longest(*columns) for b in row if b is not None]


def _others(order: list[int], first: int, shift: int) -> Iterator[int]:
    """The brokers after the first, from a shift on, round and round."""
    for at in range(len(order) ** 2 + len(order)):
        yield order[(first + 1 + (shift + at) % max(len(order) - 1, 1)) % len(order)]


def _pick(
    first: int, others: Iterator[int], racks: dict[int, Rack], replicas: int, rack_count: int
) -> list[int]:
    """The first and who comes next; until each rack has one, only of racks that have none."""
    taken, seen = [first], {racks[first]}
    for broker in others:
        if len(taken) == replicas:
            break
        if broker not in taken and (racks[broker] not in seen or len(seen) == rack_count):
            taken.append(broker)
            seen.add(racks[broker])
    return taken


def generate(
    cluster: Cluster, seed: int = 0, older: bool = False
) -> dict[tuple[str, int], list[int]]:
    """Replicas of each partition, one topic after the other, wherever they are now.

    The brokers are those to be used; a topic's replication factor is that of its first partition.
    Kafka draws without a seed. `older` is as up to 4.0. Topics out of scope stay; so do those that
    Kafka refuses to place.
    """
    random = JavaRandom(seed)
    brokers = [(b.id, b.rack) for b in cluster.brokers if b.is_used]
    if any(rack is None for _, rack in brokers):
        brokers = [(broker, None) for broker, _ in brokers]  # --disable-rack-aware, or refused
    replicas = {(p.topic, p.partition): list(p.replicas) for p in cluster.partitions}
    topics: defaultdict[str, list[Partition]] = defaultdict(list)
    for partition in sorted(cluster.partitions, key=lambda p: (p.topic, p.partition)):
        if partition.scope:
            topics[partition.topic].append(partition)
    for topic, partitions in topics.items():
        try:
            shape = brokers, len(partitions), len(partitions[0].replicas)
            if older and brokers:
                start, shift = random.next_int(len(brokers)), random.next_int(len(brokers))
                placed = round_robin(*shape, start, shift)
            else:
                placed = stripe(*shape, random)
        except PlacementError:
            continue
        replicas |= {(topic, p.partition): row for p, row in zip(partitions, placed, strict=True)}
    return replicas
