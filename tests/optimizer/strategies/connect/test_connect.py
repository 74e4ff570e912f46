"""Kafka Connect's two assignments, where no recorded answer tells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Group, Member, StrategyError, assign
from optimizer.model import KafkaFacts, measure
from optimizer.strategies import strategy_named
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost, workers
from tests.optimizer.strategies.written_groups import written
from tests.support.tiers import tiered

TWO = {"connector1": 4, "connector2": 4}

COOPERATIVE = strategy_named("connect-cooperative")


def test_a_worker_joins() -> None:
    """The first rebalance revokes, the second one hands out."""
    group = workers(TWO, {"worker1": "connector1:0,1,2,3 connector2:0,1,2,3", "worker2": ""})
    plan = assign(group, "connect-cooperative")
    assert written(plan.first_round) == {"worker1": "connector2:0,1,2,3", "worker2": ""}
    assert written(plan.assignment) == {
        "worker1": "connector2:0,1,2,3",
        "worker2": "connector1:0,1,2,3",
    }
    assert plan.moves == 4


def test_a_connector_without_tasks_takes_its_turn() -> None:
    """One in the tables, one that no table has partitions of."""
    connectors = {"c1": 1, "c2": 0}
    group = Group(connectors, [Member(name, ["c1", "c2", "c3"]) for name in ("a", "b")])
    assert written(assign(group, "connect-eager").assignment) == {"a": "", "b": "c1:0"}


def test_workers_that_subscribe_to_different_connectors_are_none() -> None:
    group = Group({"c": 1, "d": 1}, [Member("a", ["c"]), Member("b", ["d"])])
    for strategy in ("connect-eager", "connect-cooperative"):
        with pytest.raises(StrategyError, match="the members subscribe to different topics"):
            assign(group, strategy)


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
