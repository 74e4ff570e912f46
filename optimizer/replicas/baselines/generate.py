"""What kafka-reassign-partitions --generate would propose for a cluster."""

from collections import defaultdict

from optimizer.replicas import Cluster, Partition
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
    brokers = [(b.id, b.rack) for b in cluster.brokers if b.is_used]
    if any(rack is None for _, rack in brokers):
        brokers = [(broker, None) for broker, _ in brokers]  # --disable-rack-aware, or refused
    replicas = {(p.topic, p.partition): list(p.replicas) for p in cluster.partitions}
    topics: defaultdict[str, list[Partition]] = defaultdict(list)
    for partition in sorted(cluster.partitions, key=lambda item: (item.topic, item.partition)):
        if partition.scope:
            topics[partition.topic].append(partition)
    for topic, partitions in topics.items():
        try:
            shape = brokers, len(partitions), len(partitions[0].replicas)
            if older and brokers:
                start, shift = random.next_int(len(brokers)), random.next_int(len(brokers))
                placed = round_robin(*shape, start, shift)
            else:
                placed = striped(*shape, random)
        except PlacementError:
            continue
        replicas |= {(topic, p.partition): row for p, row in zip(partitions, placed, strict=True)}
    return replicas
