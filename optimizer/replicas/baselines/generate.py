"""What kafka-reassign-partitions --generate would propose for a cluster."""

from optimizer.replicas import Cluster
from optimizer.replicas.baselines.placers import JavaRandom, PlacementError, round_robin, striped


def generated(
    cluster: Cluster, seed: int = 0, older: bool = False
) -> dict[tuple[str, int], list[int]]:
    """Replicas of each partition, one topic after the other, wherever they are now.

    The brokers are those to be used; a topic's replication factor is that of its first partition.
    Kafka draws without a seed. `older` is as up to 4.0. Topics out of scope stay; so do those that
    Kafka refuses to place.
    """
    random = JavaRandom(seed)
    brokers = [(b.id, b.rack) for b in cluster.brokers if b.usable and b.alive]
    if any(rack is None for _, rack in brokers):
        brokers = [(broker, None) for broker, _ in brokers]  # --disable-rack-aware, or refused
    replicas = {
        (partition.topic, partition.partition): list(partition.replicas)
        for partition in cluster.partitions
    }
    topics: dict[str, list[int]] = {}
    factors: dict[str, int] = {}
    for partition in sorted(cluster.partitions, key=lambda item: (item.topic, item.partition)):
        if partition.scope:
            topics.setdefault(partition.topic, []).append(partition.partition)
            factors.setdefault(partition.topic, len(partition.replicas))
    for topic, numbers in topics.items():
        try:
            shape = brokers, len(numbers), factors[topic]
            if older and brokers:
                start, shift = random.next_int(len(brokers)), random.next_int(len(brokers))
                placed = round_robin(*shape, start, shift)
            else:
                placed = striped(*shape, random)
        except PlacementError:
            continue
        replicas |= {(topic, n): row for n, row in zip(numbers, placed, strict=True)}
    return replicas
