"""Kafka Connect's eager assignment: cases of its WorkerCoordinatorTest, and laws."""

from __future__ import annotations

import pytest

from optimizer import Group, Member, StrategyError, assign
from optimizer.model import NOBODY, classes_of, member_loads
from optimizer.strategies import strategy_named
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost, workers
from tests.optimizer.strategies.written_groups import written


@pytest.mark.parametrize(
    ("connectors", "assigned"),
    [
        # the leader has the connector itself, so that its task is the other one's
        ({"c1": 1}, {"leader": "", "member": "c1:0"}),
        ({"c1": 2, "c2": 1}, {"leader": "c1:0 c2:0", "member": "c1:1"}),
        ({"c1": 1, "c2": 1, "c3": 1}, {"leader": "c2:0", "member": "c1:0 c3:0"}),
    ],
)
def test_connectors_go_round_first_and_then_tasks(
    connectors: dict[str, int], assigned: dict[str, str]
) -> None:
    group = workers(connectors, {"leader": "", "member": ""})
    plan = assign(group, "connect-eager")
    assert written(plan.assignment) == assigned
    assert plan.first_round == plan.assignment


def test_a_connector_without_tasks_takes_its_turn() -> None:
    """One in the tables, one that no table has partitions of."""
    connectors = {"c1": 1, "c2": 0}
    group = Group(connectors, [Member(name, ["c1", "c2", "c3"]) for name in ("a", "b")])
    assert written(assign(group, "connect-eager").assignment) == {"a": "", "b": "c1:0"}


def test_who_ran_a_task_before_is_forgotten() -> None:
    kept = workers({"c": 3}, {"a": "c:0,1,2", "b": ""})
    assert assign(kept, "connect-eager").moves == 2


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


@pytest.mark.parametrize("strategy", ["connect-eager", "connect-cooperative"])
def test_every_task_is_placed_once_and_counts_differ_by_one(strategy: str) -> None:
    for number in range(500):
        problem = problem_with_lost(*drawn_workers(f"laws-{number}"))
        answer = strategy_named(strategy).assign(problem)
        configured = classes_of(problem).of_partition >= 0
        assert ((answer.target != NOBODY) == configured).all(), number
        counts = member_loads(problem, answer.target)
        assert counts.max() - counts.min() <= 1, number
