"""What holds of every plan, whatever the cluster.

    python -m tests.optimizer.replicas.properties 2000

Cruise Control's tests ask the same of its goals: none gets worse, brokers that are drained end up
empty, and brokers that join are the only ones that receive. And a plan of a plan changes nothing,
and a plan that was changed is judged by the proof as it is by its costs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from optimizer.replicas import (
    Broker,
    Cluster,
    Partition,
    ReplicaGoals,
    check_replicas,
    plan_replicas as planned,
)
from tests.optimizer.replicas.clusters import leaders_measured, measured, racks_of

Sets = dict[tuple[str, int], list[int]]


def broken_properties(seed: int) -> Iterator[str]:
    draw = Random(seed)
    cluster = _cluster(draw)
    yield from _of_a_rebalance(cluster, draw, seed)
    drained = draw.choice(cluster.brokers).id
    brokers = [b._replace(usable=b.id != drained) for b in cluster.brokers]
    plan = planned(replace(cluster, brokers=brokers))
    left_out = {(item.topic, item.partition) for item in plan.left_out}
    for name, row in plan.replicas.items():
        if drained in row and name not in left_out:
            yield f"{seed}: {name} is left on broker {drained}, which was drained: {row}"
    racks = [broker.rack for broker in cluster.brokers]
    joined = [Broker(100 + n, draw.choice(racks)) for n in range(draw.randint(1, 3))]
    plan = planned(
        replace(cluster, brokers=[*(b._replace(receives=False) for b in cluster.brokers), *joined])
    )
    for change in plan.changes:
        if any(new < 100 for new in set(change.after) - set(change.before)):
            yield f"{seed}: {change} gives a copy to a broker that hasn't just joined"


def _cluster(draw: Random) -> Cluster:
    count = draw.randint(2, 12)
    racks = "abcd"[: draw.randint(1, 4)]
    mask = draw.random() < 0.8
    ids = draw.sample(range(90), count)
    brokers = [Broker(item, draw.choice(racks) if mask else None) for item in ids]
    items = []
    for at in range(draw.randint(1, 60)):
        favourites = ids[: draw.randint(1, count)]
        factor = min(draw.randint(1, 3), len(favourites))
        items.append(Partition(f"t{at % 4}", at, draw.sample(favourites, factor)))
    return Cluster(brokers, items)


def _of_a_rebalance(cluster: Cluster, draw: Random, seed: int) -> Iterator[str]:
    plan = planned(cluster)
    before = {
        (partition.topic, partition.partition): list(partition.replicas)
        for partition in cluster.partitions
    }
    old, new = _goals_of(cluster, before), _goals_of(cluster, plan.replicas)
    if new > old:
        yield f"{seed}: the goals got worse: {old}, then {new}"
    after = replace(
        cluster,
        partitions=[
            p._replace(replicas=plan.replicas[p.topic, p.partition]) for p in cluster.partitions
        ],
    )
    if again := planned(after).changes:
        yield f"{seed}: the plan of the plan changes {again[0]}"
    if faults := check_replicas(cluster, plan.replicas):
        yield f"{seed}: {faults}"
    mutated = {**plan.replicas}
    name = draw.choice(list(mutated))
    row = list(mutated[name])
    row[draw.randrange(len(row))] = draw.choice(cluster.brokers).id
    draw.shuffle(row)
    mutated[name] = row
    judged = check_replicas(cluster, mutated) == []
    if judged != _as_good(cluster, mutated, plan.replicas):
        yield f"{seed}: {name} on {row} is judged {'right' if judged else 'wrong'}, and isn't"


def _as_good(cluster: Cluster, one: Sets, best: Sets) -> bool:
    """Whether replicas are as good, and leaders as good as these sets allow."""
    if any(len(set(row)) < len(row) for row in one.values()):
        return False
    if _goals_of(cluster, one)[:3] != _goals_of(cluster, best)[:3]:
        return False
    sets = [p._replace(replicas=one[p.topic, p.partition]) for p in cluster.partitions]
    firsts = {(p.topic, p.partition): p.replicas[0] for p in cluster.partitions}
    # leaders of these sets, whose old leaders are the cluster's
    again = _led_best(replace(cluster, partitions=sets), firsts)
    own = leaders_measured(cluster, {name: row[0] for name, row in one.items()}, {})
    return (own[0], own[2]) == again


def _led_best(cluster: Cluster, firsts: dict[tuple[str, int], int]) -> tuple[int, int]:
    """Least Σ leaders² and changes of the sets; a dead broker stands for an old leader gone."""
    sets = []
    for partition in cluster.partitions:
        old = firsts[partition.topic, partition.partition]
        others = [broker for broker in partition.replicas if broker != old]
        sets.append(
            partition._replace(replicas=[old if old in partition.replicas else 999, *others])
        )
    plan = planned(replace(cluster, partitions=sets), ReplicaGoals(leaders_only=True))
    leaders = {name: row[0] for name, row in plan.replicas.items()}
    squares = sum(n**2 for n in Counter(leaders.values()).values())
    return squares, sum(leaders[name] != first for name, first in firsts.items())


def _goals_of(cluster: Cluster, sets: Sets) -> tuple[float, ...]:
    """Σ replicas² of racks, of brokers, copies, Σ leaders²."""
    racks = racks_of(cluster)
    even = sum(
        n**2 for row in sets.values() for n in Counter(racks[broker] for broker in row).values()
    )
    levels = measured(cluster, ReplicaGoals(), {name: tuple(row) for name, row in sets.items()})
    leaders = leaders_measured(cluster, {name: row[0] for name, row in sets.items()}, {})
    return (even, levels[0], levels[1] if sets else 0, leaders[0])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    result = [fault for seed in range(count) for fault in broken_properties(seed)]
    print("\n".join(result[:20]))
    print(f"{count} clusters, {len(result)} broken properties")


if __name__ == "__main__":
    main()
