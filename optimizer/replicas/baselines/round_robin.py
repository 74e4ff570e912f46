"""AdminUtils.assignReplicasToBrokers: how --generate placed replicas up to Kafka 4.0."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from optimizer.replicas.baselines.striped import PlacementError, Rack


def round_robin(
    brokers: Sequence[tuple[int, Rack]], partitions: int, replicas: int, start: int, shift: int
) -> list[list[int]]:
    """Replicas of each partition of a topic; Kafka draws `start` and `shift` for each topic.

    Brokers (id, rack) are gone through rack by rack in turn, or as they come if no rack is known.
    Raises `PlacementError` where there are fewer brokers than replicas, or racks of some only.
    """
    racks = dict(brokers)
    if replicas > len(racks):
        raise PlacementError(
            f"the replication factor of {replicas} is larger than the {len(racks)} brokers"
        )
    entries = {rack for rack in racks.values() if rack is not None}
    if entries and None in racks.values():
        raise PlacementError("not all brokers have a rack")
    order = alternated(racks) if entries else [broker for broker, _ in brokers]
    placed = []
    for partition in range(partitions):
        if partition and partition % len(order) == 0:
            shift += 1
        first = (partition + start) % len(order)
        others = _others(order, first, shift * (len(entries) or 1))
        placed.append(_taken(order[first], others, racks, replicas, max(len(entries), 1)))
    return placed


def alternated(racks: dict[int, Rack]) -> list[int]:
    """Brokers in the order of their ids, one of each rack in turn."""
    names = sorted({rack or "" for rack in racks.values()})
    columns = [sorted(b for b, rack in racks.items() if rack == name) for name in names]
    return [b for row in zip_longest(*columns) for b in row if b is not None]


def _others(order: list[int], first: int, shift: int) -> Iterator[int]:
    """The brokers after the first, from a shift on, round and round."""
    for at in range(len(order) ** 2 + len(order)):
        yield order[(first + 1 + (shift + at) % max(len(order) - 1, 1)) % len(order)]


def _taken(
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
