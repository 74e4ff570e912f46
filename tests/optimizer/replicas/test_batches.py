"""Plans in batches: limits, and order."""

from collections import Counter
from random import Random

import pytest

from optimizer.replicas import (
    BatchStep,
    Broker,
    Cluster,
    Partition,
    ReplicaGoals,
    ReplicaPlan,
    batches_of,
    check_batches,
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
    assert check_batches(batches, copies, per_broker) == []
    for batch in batches:
        assert len({(step.topic, step.partition) for step in batch}) == len(batch)
        for step in batch:
            assert now[step.topic, step.partition] == step.before
            assert len(set(step.after) - set(step.before)) <= 1
            assert len(step.after) >= len(step.before)
            now[step.topic, step.partition] = step.after
    assert now == {(change.topic, change.partition): change.after for change in plan.changes}


@pytest.mark.parametrize("seed", range(30))
def test_few_batches_more_than_the_busiest_takes_and_none_above_its_limits(seed: int) -> None:
    """Greedy colours of a bipartite graph are less than twice its largest degree."""
    plan = drained(seed, 1, 40 + 10 * seed)
    every = [step for batch in batches_of(plan) for step in batch]
    for copies, per_broker in ((5, None), (None, 2), (11, 3), (1, 1), (1000, 1000)):
        batches = batches_of(plan, copies, per_broker)
        ends = (Counter(step.source for step in every), Counter(step.target for step in every))
        busiest = max(count for of_end in ends for count in of_end.values())
        fewest = max(len(every) / (copies or 1e9), busiest / (per_broker or 1e9))
        assert fewest <= len(batches) < 2 * fewest + 1
        assert check_batches(batches, copies, per_broker) == []


def test_batches_above_their_limits_are_named() -> None:
    steps = [BatchStep("t", number, [1], [2], 1, 2) for number in range(3)]
    assert check_batches([steps], copies=2) == ["batch 1 makes 3 copies, and 2 are allowed"]
    assert check_batches([[], steps], per_broker=2) == [
        "batch 2 makes 3 copies out of broker 1, and 2 are allowed",
        "batch 2 makes 3 copies into broker 2, and 2 are allowed",
    ]


def test_the_largest_copies_go_first() -> None:
    brokers = [Broker(1), Broker(2)]
    sizes = [3, 9, 1, 7]
    items = [Partition("t", number, [1], size=size) for number, size in enumerate(sizes)]
    plan = plan_replicas(Cluster(brokers, items))
    moved = [sizes[step.partition] for batch in batches_of(plan, 1) for step in batch]
    assert moved == sorted(moved, reverse=True)


def test_a_partition_gets_one_replica_a_batch() -> None:
    brokers = [Broker(b, "abc"[b]) for b in range(3)]
    plan = plan_replicas(Cluster(brokers, [Partition("t", 0, [1], 3)]))
    (first,), (second,) = batches_of(plan)
    assert (first.before, second.after) == ([1], plan.replicas["t", 0])
    assert len(first.after) == 2
    assert first.after == second.before


def test_no_batch_names_a_dead_broker_and_dead_ones_copy_nothing() -> None:
    brokers = [Broker(1), Broker(2), Broker(3), Broker(4), Broker(8, alive=False)]
    cluster = Cluster([*brokers, Broker(9, alive=False)], [Partition("t", 0, [8, 9, 1])])
    batches = batches_of(plan_replicas(cluster))
    assert [step.source for batch in batches for step in batch] == [1, 1]
    assert not {8, 9} & {b for batch in batches for step in batch for b in step.after}


def test_urgent_ones_come_first() -> None:
    plan = drained(4, 1)
    name = (plan.changes[-1].topic, plan.changes[-1].partition)
    first = batches_of(plan, copies=2, urgent={name})[0]
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
    assert "dropped" in {step.topic for step in batches[0]}
    assert {step.topic for batch in batches[:-1] for step in batch} <= {"copied", "dropped"}


def test_nothing_to_do_needs_no_batch() -> None:
    plan = plan_replicas(Cluster([Broker(1)], [Partition("t", 0, [1])]), ReplicaGoals())
    assert batches_of(plan, 1, 1) == []
