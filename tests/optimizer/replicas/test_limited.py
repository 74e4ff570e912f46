"""Levels of replicas that can't be reached in full: limits of copies and bytes, prices as proof."""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import replace
from random import Random

import pytest

from optimizer.replicas import (
    BALANCE,
    BOUNDED,
    BYTES,
    COPIES,
    NOT_PROVEN,
    Broker,
    Cluster,
    Partition,
    ReplicaGoals,
    ReplicaGoalsError,
    check_replicas,
    most_bytes_bound,
    plan_replicas,
)
from optimizer.replicas.cycles import search
from optimizer.replicas.levels import leader_placement, replica_placement
from optimizer.replicas.numbering import in_scope, number_cluster
from optimizer.replicas.placement import proves
from optimizer.replicas.solve import solve
from tests.optimizer.replicas.clusters import (
    Name,
    Sets,
    all_sets,
    measured,
    planned_by,
    racks_of,
    random_cluster,
)
from tests.support.tiers import tiered


@pytest.mark.parametrize("step", tiered([5, 1], 1))
def test_each_limit_of_copies_has_its_best_balance_or_a_bound_below_it(step: int) -> None:
    """In clusters as small as these the best is found also between two prices."""
    reached = limits = 0
    for seed in range(0, 350, step):
        cluster = random_cluster(Random(seed), partitions=5)
        plan = plan_replicas(cluster)
        least: dict[int, float] = {}  # balance of each number of copies, over all choices
        for sets in all_sets(cluster, planned_by(plan, cluster)):
            balance, number = measured(cluster, ReplicaGoals(), sets)
            least[int(number)] = min(balance, least.get(int(number), balance))
        if min(least) > 0:
            with pytest.raises(ReplicaGoalsError, match=f"at least {min(least)} copies are needed"):
                plan_replicas(cluster, ReplicaGoals(most_copies=min(least) - 1))
        for copies in range(min(least), plan.copies):
            limited = plan_replicas(cluster, ReplicaGoals(most_copies=copies))
            balance, number = measured(cluster, ReplicaGoals(), limited.replicas)
            assert number <= copies, seed
            assert balance == min(least[count] for count in least if count <= copies), seed
            assert limited.limit is not None
            assert limited.limit.bound is not None
            assert limited.optimal != NOT_PROVEN
            assert limited.limit.bound <= limited.limit.balance
            assert limited.limit.is_reached or limited.optimal == BOUNDED
            limits += 1
            reached += limited.limit.is_reached
    assert limits > {5: 5, 1: 50}[step]
    assert reached > 0.8 * limits


def test_as_many_copies_as_are_needed_are_no_limit() -> None:
    cluster = Cluster([Broker(1), Broker(2)], [Partition("t", n, [1]) for n in range(6)])
    plan = plan_replicas(cluster, ReplicaGoals(most_copies=3))
    assert (plan.copies, plan.limit) == (3, None)
    plan = plan_replicas(cluster, ReplicaGoals(most_copies=1))
    assert plan.limit is not None
    assert (plan.copies, plan.limit.balance, plan.limit.best) == (1, 25 + 1, 9 + 9)
    assert plan.limit.is_reached
    assert plan_replicas(cluster, ReplicaGoals(most_copies=0)).copies == 0


def test_goals_that_a_limit_of_copies_does_not_fit_are_refused() -> None:
    with pytest.raises(ReplicaGoalsError, match="must be 0 or more"):
        ReplicaGoals(most_copies=-1)
    with pytest.raises(ReplicaGoalsError, match="not for balance, bytes"):
        ReplicaGoals(levels=(BALANCE, BYTES), most_copies=1)
    with pytest.raises(ReplicaGoalsError, match="not for copies, balance"):
        ReplicaGoals(levels=(COPIES, BALANCE), most_copies=1)
    cluster = Cluster([Broker(1)], [Partition("t", 0, [1])])
    with pytest.raises(ReplicaGoalsError, match="proven by its own bound"):
        check_replicas(cluster, {("t", 0): [1]}, ReplicaGoals(most_copies=1))


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


def test_prices_that_are_all_too_high_or_too_low_prove_nothing() -> None:
    """Whatever is cheapest stays it, so that only the loads tell."""
    refused = 0
    for seed in range(20):
        cluster, goals = number_cluster(random_cluster(Random(seed))), ReplicaGoals()
        rows, _ = in_scope(cluster)
        if not len(rows):
            continue
        problem = replica_placement(cluster, rows, goals)
        sets, _ = solve(problem)
        for placement in (problem, leader_placement(cluster, rows, sets, goals)):
            brokers, _ = solve(placement)
            prices = search(placement, brokers).prices
            assert proves(placement, brokers, prices)
            far = 9 * (1 + int(abs(prices.of_broker).max()))
            for by in (-far, far):
                moved = replace(
                    prices, of_broker=prices.of_broker + by, of_topic=prices.of_topic + by
                )
                assert not proves(placement, brokers, moved)
                refused += 1
    assert refused > 20
