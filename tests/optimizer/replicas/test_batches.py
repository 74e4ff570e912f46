"""Plans in batches: limits, order, and as few as can be."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from optimizer.replicas import (
    Broker,
    Cluster,
    Partition,
    ReplicaGoals,
    ReplicaPlan,
    batches_of,
    plan_replicas,
)


def drained(seed: int, factor: int, partitions: int = 60) -> ReplicaPlan:
    """A plan of a cluster of which a broker is drained and another one has just joined."""
    draw = Random(seed)
    brokers = [Broker(b, "abc"[b % 3], usable=b != 2) for b in range(9)]
    items = [Partition("t", n, draw.sample(range(8), factor)) for n in range(partitions)]
    return plan_replicas(Cluster(brokers, items))


@pytest.mark.parametrize("seed", range(12))
def test_limits_hold_and_the_plan_is_reached(seed: int) -> None:
    plan = drained(seed, 1 + seed % 3)
    copies, per_broker = (3 + seed % 4, None) if seed % 2 else (7, 1 + seed % 3)
    batches = batches_of(plan, copies, per_broker)
    now = {(change.topic, change.partition): change.before for change in plan.changes}
    for batch in batches.batches:
        added = [step for step in batch if step.target is not None]
        assert len(added) <= copies
        assert len({(step.topic, step.partition) for step in batch}) == len(batch)
        if per_broker:
            assert max(Counter(step.source for step in added).values()) <= per_broker
            assert max(Counter(step.target for step in added).values()) <= per_broker
        for step in batch:
            assert now[step.topic, step.partition] == step.before
            assert len(set(step.after) - set(step.before)) <= 1
            assert len(step.after) >= len(step.before)
            now[step.topic, step.partition] = step.after
    assert now == {(change.topic, change.partition): change.after for change in plan.changes}


@pytest.mark.parametrize("seed", range(30))
def test_there_are_as_few_batches_as_can_be_for_single_copies(seed: int) -> None:
    """König and de Werra: the busiest of all copies, sources and targets tells how many."""
    plan = drained(seed, 1, 40 + 10 * seed)
    for copies, per_broker in ((5, None), (None, 2), (11, 3), (1, 1), (1000, 1000)):
        batches = batches_of(plan, copies, per_broker)
        assert len(batches.batches) == batches.fewest


def test_a_partition_gets_one_replica_a_batch() -> None:
    brokers = [Broker(b, "abc"[b]) for b in range(3)]
    plan = plan_replicas(Cluster(brokers, [Partition("t", 0, [1], 3)]))
    (first,), (second,) = batches_of(plan).batches
    assert (first.before, second.after) == ([1], plan.replicas["t", 0])
    assert len(first.after) == 2
    assert first.after == second.before


def test_no_batch_names_a_dead_broker_and_dead_ones_copy_nothing() -> None:
    brokers = [Broker(1), Broker(2), Broker(3), Broker(4), Broker(8, alive=False)]
    cluster = Cluster([*brokers, Broker(9, alive=False)], [Partition("t", 0, [8, 9, 1])])
    batches = batches_of(plan_replicas(cluster))
    assert [step.source for batch in batches.batches for step in batch] == [1, 1]
    assert not {8, 9} & {b for batch in batches.batches for step in batch for b in step.after}


def test_urgent_ones_come_first() -> None:
    plan = drained(4, 1)
    name = (plan.changes[-1].topic, plan.changes[-1].partition)
    first = batches_of(plan, copies=2, urgent={name}).batches[0]
    assert name in {(step.topic, step.partition) for step in first}


def test_what_is_only_dropped_comes_first_and_what_only_changes_order_last() -> None:
    brokers = [Broker(b) for b in range(1, 5)]
    items = [
        Partition("copied", 0, [1]),
        Partition("copied", 1, [1]),
        Partition("dropped", 0, [1, 2], 1),
        Partition("led", 0, [1, 2, 3, 4]),
        Partition("led", 1, [1, 2, 3, 4]),
    ]
    batches = batches_of(plan_replicas(Cluster(brokers, items)), copies=1)
    assert "dropped" in {step.topic for step in batches.batches[0]}
    assert {step.topic for batch in batches.batches[:-1] for step in batch} <= {"copied", "dropped"}


def test_nothing_to_do_needs_no_batch() -> None:
    plan = plan_replicas(Cluster([Broker(1)], [Partition("t", 0, [1])]), ReplicaGoals())
    assert batches_of(plan, 1, 1).batches == []
