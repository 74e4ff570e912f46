"""The least bytes of the fullest broker, against trying everything."""

from collections import Counter
from collections.abc import Container, Mapping
from random import Random

import pytest

from optimizer.replicas import most_bytes_bound, plan_replicas
from tests.optimizer.replicas.clusters import (
    Name,
    Sets,
    all_sets,
    planned_by,
    racks_of,
    random_cluster,
)
from tests.support.tiers import tiered


def most_bytes(sets: Sets, sizes: Mapping[Name, int], usable: Container[int]) -> int:
    loads: Counter[int] = Counter()
    for name, row in sets.items():
        loads.update({broker: sizes[name] for broker in row if broker in usable})
    return max(loads.values(), default=0)


@pytest.mark.parametrize("block", tiered(range(10), 3))
def test_no_choice_of_brokers_is_below_the_bound(block: int) -> None:
    exact = 0
    for seed in range(block, 150, 10):
        cluster = random_cluster(Random(seed))
        plan = plan_replicas(cluster)
        sizes = {
            (partition.topic, partition.partition): size
            for partition, size in zip(
                plan.cluster.partitions, plan.cluster.sizes()[0].tolist(), strict=True
            )
        }
        least = min(
            most_bytes(sets, sizes, racks_of(cluster))
            for sets in all_sets(cluster, planned_by(plan, cluster))
        )
        bound = most_bytes_bound(plan.cluster)
        assert bound <= least, seed
        exact += bound == least
    assert exact > 15 / 2
