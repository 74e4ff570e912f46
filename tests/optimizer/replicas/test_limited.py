"""The best balance by at most so many copies, against trying everything."""

from __future__ import annotations

from itertools import product
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
    plan_replicas,
)
from tests.optimizer.replicas.clusters import _even_sets, measured, random_cluster

BOTH = ReplicaGoals()


def frontier(cluster: Cluster, planned: set[tuple[str, int]]) -> dict[int, float]:
    """The least balance of each number of copies, over every choice of brokers."""
    names = [(partition.topic, partition.partition) for partition in cluster.partitions]
    choices = [
        _even_sets(cluster, partition) if name in planned else [tuple(partition.replicas)]
        for name, partition in zip(names, cluster.partitions, strict=True)
    ]
    least: dict[int, float] = {}
    for sets in product(*choices):
        balance, copies = measured(cluster, BOTH, dict(zip(names, sets, strict=True)))
        least[int(copies)] = min(balance, least.get(int(copies), balance))
    return least


def test_each_limit_of_copies_has_its_best_balance_or_a_bound_below_it() -> None:
    reached = limits = 0
    for seed in range(350):
        cluster = random_cluster(Random(seed), partitions=5)
        plan = plan_replicas(cluster)
        scope = {
            (partition.topic, partition.partition)
            for partition in cluster.partitions
            if partition.scope
        }
        least = frontier(cluster, scope - {(item.topic, item.partition) for item in plan.left_out})
        if min(least) > 0:
            with pytest.raises(ReplicaGoalsError, match=f"at least {min(least)} copies are needed"):
                plan_replicas(cluster, ReplicaGoals(most_copies=min(least) - 1))
        for copies in range(min(least), plan.copies):
            replica_plan = plan_replicas(cluster, ReplicaGoals(most_copies=copies))
            best = min(balance for count, balance in least.items() if count <= copies)
            now = measured(
                cluster, BOTH, {n: tuple(row) for n, row in replica_plan.replicas.items()}
            )
            assert now[1] <= copies, seed
            assert replica_plan.limit is not None
            assert replica_plan.limit.bound is not None
            assert replica_plan.optimal != NOT_PROVEN
            assert now[0] == best, seed  # in clusters as small as these, also between two prices
            assert replica_plan.limit.bound <= replica_plan.limit.balance
            assert replica_plan.limit.is_reached or replica_plan.optimal == BOUNDED
            limits += 1
            reached += replica_plan.limit.is_reached
    assert limits > 50
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
