"""Kafka's StripedReplicaPlacer: where the controller puts a new topic.

Since 4.1 kafka-reassign-partitions --generate places by it too, each topic as if it were new.
"""

from collections.abc import Sequence

from optimizer.replicas.baselines.java_random import JavaRandom
from optimizer.strategies.kafka import in_hash_order, string_hash, utf16

Rack = str | None


class PlacementError(ValueError):
    """Kafka refuses to place so."""


def striped(
    brokers: Sequence[tuple[int, Rack]], partitions: int, replicas: int, random: JavaRandom
) -> list[list[int]]:
    """Replicas of each partition of a new topic on such brokers (id, rack), none of them fenced.

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
        result: dict[Rack, _RackBrokers] = {}
        for broker, rack in brokers:
            result.setdefault(rack, _RackBrokers()).ids.append(broker)
        self._racks = {rack: result[rack] for rack in _as_hashed(list(result))}
        for items in self._racks.values():
            items.begin(random)
        self._names = sorted(result, key=lambda rack: (rack is not None, utf16(rack or "")))
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
        selection, at = [broker], self._offset
        passed_over = False
        while len(selection) < replicas:
            if at == first and not passed_over:
                passed_over = True  # it has given its one
            elif (broker := self._next(at)) is not None:
                selection.append(broker)
            at = (at + 1) % len(self._names)
        self._epoch += 1
        self._offset += 1
        return selection

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
