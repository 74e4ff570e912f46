"""Kafka Connect's two assignments, where no recorded answer tells."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Group, assign
from optimizer.model import KafkaFacts, measure
from optimizer.strategies import strategy_named
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost, workers
from tests.support.tiers import tiered

COOPERATIVE = strategy_named("connect-cooperative")


@pytest.mark.parametrize("strategy", ["connect-eager", "connect-cooperative"])
def test_nothing_to_run_and_nobody_to_run_it(strategy: str) -> None:
    assert assign(Group({"c": 3}, []), strategy).assignment == {}
    assert assign(workers({}, {"a": ""}), strategy).assignment == {"a": []}
    assert assign(workers({"c": 0}, {"a": ""}), strategy).assignment == {"a": []}


@pytest.mark.parametrize("start", tiered(range(0, 500, 100), 1))
def test_it_moves_no_more_than_the_optimum_and_nothing_a_second_time(start: int) -> None:
    """Where no task runs twice: such a task is taken from both, whoever gets it then."""
    moved = 0
    for number in range(start, start + 100):
        problem = problem_with_lost(*drawn_workers(f"moves-{number}"))
        _, running = problem.claims
        if len(np.unique(running)) < len(running):
            continue
        target = COOPERATIVE.assign(problem).target
        optimum = strategy_named("optimal").assign(problem).target
        reached, best = measure(problem, target), measure(problem, optimum)
        assert reached._replace(spread=0) == best._replace(spread=0), number
        moved += measure(problem, target).moves
        settled = replace(problem, owner=target, kafka=KafkaFacts())
        assert (COOPERATIVE.assign(settled).target == target).all(), number
    assert moved > 40
