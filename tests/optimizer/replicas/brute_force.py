"""Plans of tiny clusters against trying everything.

python -m tests.optimizer.replicas.brute_force 1000     so many clusters, every order of goals
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

from optimizer.replicas import NOT_PROVEN, ReplicaGoals, check_replicas, plan_replicas
from tests.optimizer.replicas.clusters import (
    ORDERS,
    RACKS,
    best,
    best_leaders,
    leaders_measured,
    measured,
    racks_of,
    random_cluster,
)


def faults_of(seed: int) -> Iterator[str]:
    """What is wrong with plans of the cluster that a number makes, in every order of goals."""
    draw = Random(seed)
    cluster = random_cluster(draw)
    names = [(partition.topic, partition.partition) for partition in cluster.partitions]
    racks = {name: draw.choice(RACKS) for name in names if draw.random() < 0.4}
    for levels in ORDERS:
        goals = ReplicaGoals(levels=levels, leader_racks=racks)
        plan = plan_replicas(cluster, goals)
        left = {(item.topic, item.partition) for item in plan.left_out}
        scope = {
            (partition.topic, partition.partition)
            for partition in cluster.partitions
            if partition.scope
        }
        planned = scope - left
        sets = {name: tuple(plan.replicas[name]) for name in names}
        result, least = measured(cluster, goals, sets), best(cluster, goals, planned)
        if result != least:
            yield f"{seed} {levels}: {result} instead of {least}"
        leaders = {
            name: items[0]
            if name in planned
            else next((b for b in items if b in racks_of(cluster)), -1)
            for name, items in sets.items()
        }
        wanted = {name: rack for name, rack in racks.items() if name in planned}
        led = leaders_measured(cluster, leaders, wanted)
        if led != (least_led := best_leaders(cluster, sets, planned, wanted)):
            yield f"{seed} {levels}: leaders {led} instead of {least_led}"
        if plan.optimal == NOT_PROVEN:
            yield f"{seed} {levels}: not proven"
        if faults := check_replicas(cluster, plan.replicas, goals):
            yield f"{seed} {levels}: {faults}"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    result = [fault for seed in range(count) for fault in faults_of(seed)]
    print("\n".join(result[:20]))
    print(f"{count} clusters, {len(ORDERS)} orders of goals, {len(result)} faults")


if __name__ == "__main__":
    main()
