"""How long it takes to plan a cluster's replicas and leaders, with the proof.

    python -m tests.bench.replica_grid                  100 brokers, 100,000 partitions, a minute
    python -m tests.bench.replica_grid --large          1,000 brokers, 500,000 partitions
    python -m tests.bench.replica_grid --json rows.json and the figures for other programs

Replicas lie at random on even racks. Each change is planned from them: rebalance, a broker leaves,
three join, a rack is lost, replication factor 1 → 3 and 3 → 2. Seconds are of the processor, the
cluster made before; `memory` is the most that the process had so far.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from optimizer.replicas import Broker, Cluster, Partition, plan_replicas


@dataclass(frozen=True)
class Row:
    """What came of one change."""

    change: str
    racks: int
    seconds: float
    copies: int
    load_min: int
    load_max: int
    leaders_min: int
    leaders_max: int
    leader_changes: int
    optimal: str
    memory_mb: int


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
            replicas[wrong, column] = rack[wrong] + racks * (draw.random(len(wrong)) * size).astype(
                int
            )
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


def measured(change: str, racks: int, cluster: Cluster) -> Row:
    start = time.process_time()
    plan = plan_replicas(cluster)
    seconds = time.process_time() - start
    used = plan.cluster.used
    loads = np.bincount(plan.after[plan.after >= 0], minlength=len(used))[used]
    leaders = np.bincount(plan.after[:, 0], minlength=len(used))[used]
    return Row(
        change=change,
        racks=racks,
        seconds=round(seconds, 2),
        copies=plan.copies,
        load_min=int(loads.min()),
        load_max=int(loads.max()),
        leaders_min=int(leaders.min()),
        leaders_max=int(leaders.max()),
        leader_changes=plan.leader_changes,
        optimal=plan.optimal,
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    brokers, partitions = (1_000, 500_000) if options.large else (100, 100_000)
    print(
        f"{'change':15} {'racks':>5} {'seconds':>7} {'copies':>8} {'load':>11} {'leaders':>11} "
        f"{'changes':>8} {'MB':>6} optimal"
    )
    rows = []
    for racks in (3, 4, 1):
        for change, cluster in changes(brokers, partitions, racks):
            if racks == 1 and "rack" in change:
                continue
            row = measured(change, racks, cluster)
            rows.append(asdict(row))
            print(
                f"{change:15} {racks:5} {row.seconds:7.2f} {row.copies:8} "
                f"{row.load_min:5}-{row.load_max:<5} {row.leaders_min:5}-{row.leaders_max:<5} "
                f"{row.leader_changes:8} {row.memory_mb:6} {row.optimal}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
