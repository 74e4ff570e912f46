"""The least bytes of the fullest broker, against trying everything."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

from optimizer.replicas import most_bytes_bound, plan_replicas
from tests.optimizer.replicas.clusters import _even_sets, racks_of, random_cluster


def test_no_choice_of_brokers_is_below_the_bound() -> None:
    exact = tried = 0
    for seed in range(150):
        cluster = random_cluster(Random(seed))
        plan = plan_replicas(cluster)
        racks = racks_of(cluster)
        left = {(item.topic, item.partition) for item in plan.left_out}
        sizes = plan.cluster.sizes()[0].tolist()
        at = {
            (partition.topic, partition.partition): size
            for partition, size in zip(plan.cluster.partitions, sizes, strict=True)
        }
        choices = [
            [tuple(partition.replicas)]
            if not partition.scope or (partition.topic, partition.partition) in left
            else _even_sets(cluster, partition)
            for partition in cluster.partitions
        ]
        least = None
        for sets in product(*choices):
            loads: Counter[int] = Counter()
            for partition, row in zip(cluster.partitions, sets, strict=True):
                loads.update(
                    {b: at[partition.topic, partition.partition] for b in row if b in racks}
                )
            most = max(loads.values(), default=0)
            least = most if least is None else min(least, most)
        assert least is not None
        bound = most_bytes_bound(plan.cluster)
        assert bound <= least, seed
        tried += 1
        exact += bound == least
    assert exact > tried / 2
