"""How long it takes to plan a cluster's replicas and leaders, with the proof.

    python -m tests.bench.replica_grid                  100 brokers, 100,000 partitions, a minute
    python -m tests.bench.replica_grid --brokers 1000 --partitions 500000 --json replicas.json

Replicas lie at random on even racks. Each change is planned from them: rebalance, a broker leaves,
three join, a rack is lost, replication factor 1 → 3 and 3 → 2. Seconds are of the processor, the
cluster made before; `memory_mb` is the most that the process had so far.
"""

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

from optimizer.replicas import Broker, Cluster, Partition, plan_replicas
from tests.bench.stopwatch import Row, bench


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    for racks in (3, 4, 1):
        for change, cluster in changes(options.brokers, options.partitions, racks):
            if racks > 1 or "rack" not in change:
                yield {"what": change, "racks": racks} | measured(cluster)


def random_replicas(brokers: int, partitions: int, racks: int, factor: int) -> list[list[int]]:
    """Brokers of each partition; broker b is in rack b mod racks, racks of a partition are even."""
    draw = np.random.default_rng(brokers * racks)
    order = draw.random((partitions, racks)).argsort(axis=1)
    replicas = np.full((partitions, factor), -1)
    for column in range(factor):
        rack = order[:, column % racks]
        wrong = np.arange(partitions)
        while len(wrong):
            size = (brokers - rack[wrong] + racks - 1) // racks
            drawn = (draw.random(len(wrong)) * size).astype(int)
            replicas[wrong, column] = rack[wrong] + racks * drawn
            same = replicas[wrong, :column] == replicas[wrong, column : column + 1]
            wrong = wrong[same.any(axis=1)]
    rows: list[list[int]] = replicas.tolist()
    return rows


def changes(brokers: int, partitions: int, racks: int) -> Iterator[tuple[str, Cluster]]:
    """Each change and the cluster that it is planned for."""
    rows = random_replicas(brokers, partitions, racks, 3)
    names = [(f"topic-{n // 100:05d}", n % 100) for n in range(partitions)]
    all_brokers = [Broker(b, f"rack-{b % racks}") for b in range(brokers)]

    def cluster(
        items: list[Broker], factor: int | None = None, width: int | None = None
    ) -> Cluster:
        return Cluster(
            items,
            [
                Partition(topic, number, row[:width], factor)
                for (topic, number), row in zip(names, rows, strict=True)
            ],
        )

    yield "rebalance", cluster(all_brokers)
    yield "one leaves", cluster([all_brokers[0]._replace(usable=False), *all_brokers[1:]])
    joined = [Broker(brokers + n, f"rack-{n % racks}") for n in range(3)]
    yield "three join", cluster([*all_brokers, *joined])
    lost = [b._replace(alive=b.rack != "rack-0") for b in all_brokers]
    yield "a rack is lost", cluster(lost)
    yield "factor 1 to 3", cluster(all_brokers, 3, 1)
    yield "factor 3 to 2", cluster(all_brokers, 2)


def measured(cluster: Cluster) -> Row:
    """How long the plan takes, and what comes of it."""
    start = time.process_time()
    plan = plan_replicas(cluster)
    seconds = time.process_time() - start
    used = plan.cluster.used
    loads = np.bincount(plan.after[plan.after >= 0], minlength=len(used))[used]
    leaders = np.bincount(plan.after[:, 0], minlength=len(used))[used]
    return {
        "processor_s": round(seconds, 2),
        "copies": plan.copies,
        "loads": f"{loads.min()}-{loads.max()}",
        "leaders": f"{leaders.min()}-{leaders.max()}",
        "leader_changes": plan.leader_changes,
        "optimal": plan.optimal,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


if __name__ == "__main__":
    brokers, partitions = {"type": int, "default": 100}, {"type": int, "default": 100_000}
    bench(__doc__, rows_of, brokers=brokers, partitions=partitions)
