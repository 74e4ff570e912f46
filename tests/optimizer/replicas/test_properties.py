"""What holds of every plan, of random clusters and of recorded ones."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from optimizer.replicas import (
    Broker,
    Cluster,
    Partition,
    ReplicaGoals,
    check_replicas,
    plan_replicas,
)
from tests.optimizer.replicas.clusters import (
    Sets,
    leaders_measured,
    measured,
    rack_squares,
    random_cluster,
    replicas_of,
)
from tests.optimizer.replicas.records import GOALS, cluster_of, differences
from tests.paths import DATA
from tests.support.tiers import tiered


def sound_cluster(seed: int) -> Cluster:
    """With racks or without, and all its brokers usable."""
    made = random_cluster(Random(seed), 12, 60)
    return Cluster(
        [Broker(broker.id, broker.rack) for broker in made.brokers],
        [Partition(one.topic, one.partition, one.replicas) for one in made.partitions],
    )


def with_replicas(cluster: Cluster, sets: Sets) -> Cluster:
    partitions = [
        one._replace(replicas=[*sets[one.topic, one.partition]]) for one in cluster.partitions
    ]
    return replace(cluster, partitions=partitions)


@pytest.mark.parametrize("seed", tiered(range(60), 20))
def test_properties_of_random_clusters(seed: int) -> None:
    cluster, draw = sound_cluster(seed), Random(seed)
    plan = plan_replicas(cluster)
    assert goals_of(cluster, plan.replicas) <= goals_of(cluster, replicas_of(cluster))
    assert plan_replicas(with_replicas(cluster, plan.replicas)).changes == []
    assert check_replicas(cluster, plan.replicas) == []
    name = draw.choice(list(plan.replicas))
    row = list(plan.replicas[name])
    row[draw.randrange(len(row))] = draw.choice(cluster.brokers).id
    draw.shuffle(row)
    changed = {**plan.replicas, name: row}
    is_judged_right = check_replicas(cluster, changed) == []
    assert is_judged_right == as_good(cluster, changed, plan.replicas)

    drained = draw.choice(cluster.brokers).id
    brokers = [broker._replace(usable=broker.id != drained) for broker in cluster.brokers]
    plan = plan_replicas(replace(cluster, brokers=brokers))
    left_out = {(item.topic, item.partition) for item in plan.left_out}
    assert {name for name, row in plan.replicas.items() if drained in row} <= left_out

    racks = [broker.rack for broker in cluster.brokers]
    joined = [Broker(100 + n, draw.choice(racks)) for n in range(draw.randint(1, 3))]
    brokers = [broker._replace(receives=False) for broker in cluster.brokers]
    plan = plan_replicas(replace(cluster, brokers=[*brokers, *joined]))
    new = {broker for one in plan.changes for broker in set(one.after) - set(one.before)}
    assert new <= {broker.id for broker in joined}


def as_good(cluster: Cluster, sets: Sets, best: Sets) -> bool:
    """Whether replicas are as good as the best, and leaders as good as these sets allow."""
    if any(len(set(row)) < len(row) for row in sets.values()):
        return False
    if goals_of(cluster, sets)[:3] != goals_of(cluster, best)[:3]:
        return False
    firsts = {name: row[0] for name, row in replicas_of(cluster).items()}
    own = {name: row[0] for name, row in sets.items()}
    again = best_led(with_replicas(cluster, sets), firsts)
    # leaders of these sets, whose old leaders are the cluster's
    return squares_and_changes(own, firsts) == squares_and_changes(again, firsts)


def best_led(cluster: Cluster, firsts: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """The best leaders of the sets; a dead broker stands for an old leader that is gone."""
    sets = {}
    for name, row in replicas_of(cluster).items():
        others = [broker for broker in row if broker != firsts[name]]
        sets[name] = [firsts[name] if firsts[name] in row else 999, *others]
    plan = plan_replicas(with_replicas(cluster, sets), ReplicaGoals(leaders_only=True))
    return {name: row[0] for name, row in plan.replicas.items()}


def squares_and_changes(
    leaders: dict[tuple[str, int], int], firsts: dict[tuple[str, int], int]
) -> tuple[int, int]:
    squares = sum(count**2 for count in Counter(leaders.values()).values())
    return squares, sum(leaders[name] != first for name, first in firsts.items())


def goals_of(cluster: Cluster, sets: Sets) -> tuple[float, ...]:
    """Σ replicas² of racks, of brokers, copies, Σ leaders²."""
    leaders = leaders_measured(cluster, {name: row[0] for name, row in sets.items()}, {})
    return rack_squares(cluster, sets), *measured(cluster, ReplicaGoals(), sets), leaders[0]


Record = dict[str, Any]


@cache
def records() -> list[Record]:
    with gzip.open(DATA / "brokers" / "small_clusters.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("block", tiered(range(20), 3))
def test_every_record_is_met(block: int) -> None:
    """A plan's own goals are enough: `differences` makes those of the others by itself."""
    for at in range(block, len(records()), 20):
        record, goals = records()[at], [*GOALS.values()][at % len(GOALS)]
        assert differences(record, plan_replicas(cluster_of(record), goals)) == []


CHANGES: dict[str, Callable[[Record, Record], Any]] = {
    "other replicas": lambda r, one: one.update(replicas=[*one["replicas"][1:], 99]),
    "another factor": lambda r, one: one.update(target_rf=one["target_rf"] + 1),
    "another name": lambda r, one: one.update(topic="another"),
    "a partition less": lambda r, one: r["partitions"].remove(one),
}
"""What is changed in a record, or in a partition of it."""


@pytest.mark.parametrize("at", tiered(range(0, 400, 5), 6))
def test_every_change_is_told(at: int) -> None:
    draw, record = Random(at), records()[at]
    plan = plan_replicas(cluster_of(record))
    for name in GOALS:
        changed = deepcopy(record)
        if changed[name]:
            changed[name][draw.choice(list(changed[name]))] += draw.choice((-1, 1))
            assert differences(changed, plan), name
    for name, change in CHANGES.items():
        changed = deepcopy(record)
        change(changed, draw.choice(changed["partitions"]))
        assert differences(changed, plan), name
    changed = deepcopy(record)
    leader = next(iter(plan.replicas.values()))[0]
    next(item for item in changed["brokers"] if item["id"] == leader)["usable"] = False
    assert differences(changed, plan)


def test_a_record_of_no_cluster_is_told() -> None:
    record = deepcopy(records()[0])
    plan = plan_replicas(cluster_of(record))
    record["brokers"].append(record["brokers"][0])
    assert "is of no cluster" in differences(record, plan)[0]
