"""Prices prove a plan only where each load lies between its two marginal costs."""

from dataclasses import replace
from random import Random

from optimizer.replicas.cluster import ReplicaGoals
from optimizer.replicas.cycles import search
from optimizer.replicas.levels import leader_placement, replica_placement
from optimizer.replicas.numbering import in_scope, number_cluster
from optimizer.replicas.placement import proves
from optimizer.replicas.solve import solve
from tests.optimizer.replicas.clusters import random_cluster


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
