"""Kafka Connect's incremental cooperative assignment.

Cases are those of its IncrementalCooperativeAssignorTest, from the round on that a snapshot shows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optimizer import Group, Member, assign
from optimizer.model import NOBODY, KafkaFacts, measure
from optimizer.strategies import strategy_named
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost, workers
from tests.optimizer.strategies.written_groups import claims, loads, written

TWO = {"connector1": 4, "connector2": 4}
THREE = TWO | {"connector3": 4}

COOPERATIVE = strategy_named("connect-cooperative")


def rounds(group: Group) -> tuple[list[int], list[int]]:
    """How many tasks each worker has after the first rebalance and in the end."""
    plan = assign(group, "connect-cooperative")
    return loads(plan.first_round), loads(plan.assignment)


def test_one_worker_runs_all() -> None:
    assert rounds(workers(TWO, {"worker1": ""})) == ([8], [8])


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


def test_two_workers_join_while_three_are_uneven() -> None:
    running = {
        "worker1": "connector1:0,1,2,3 connector2:0,1",
        "worker2": "connector2:2,3 connector3:0",
        "worker3": "connector3:1,2,3",
        "worker4": "",
        "worker5": "",
    }
    assert rounds(workers(THREE, running)) == ([0, 0, 2, 3, 3], [2, 2, 2, 3, 3])


def test_the_leader_leaves_and_nobody_knows_what_it_ran() -> None:
    """A new leader takes it for new: no delay."""
    group = workers(TWO, {"worker2": "connector1:0,1,2", "worker3": "connector1:3 connector2:0,1"})
    assert rounds(group) == ([4, 4], [4, 4])


def test_a_worker_leaves_for_good() -> None:
    group = workers(TWO, {"worker1": "connector1:0,1,2,3"})
    problem = problem_with_lost(group, claims("connector2:0,1,2,3"))
    answer = COOPERATIVE.assign(problem)
    assert answer.target.tolist() == answer.first_round.tolist() == [0] * 8


def test_a_worker_comes_back_and_gets_what_was_lost() -> None:
    group = workers(TWO, {"worker1": "connector1:0,1,2,3", "worker2": ""})
    problem = problem_with_lost(group, claims("connector2:0,1,2,3"))
    answer = COOPERATIVE.assign(problem)
    assert answer.target.tolist() == answer.first_round.tolist() == [0] * 4 + [1] * 4


def test_a_returned_worker_gives_back_what_is_more_than_its_share() -> None:
    """worker2 gets all five that were lost, which is one too many, and never starts that one."""
    group = workers(TWO, {"worker1": "connector1:0,1,2", "worker2": ""})
    lost = claims("connector1:3 connector2:0,1,2,3")
    answer = COOPERATIVE.assign(problem_with_lost(group, lost))
    assert answer.first_round.tolist() == [0, 0, 0, NOBODY, 1, 1, 1, 1]
    assert answer.target.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_what_a_returned_worker_has_too_much_is_dealt_out_last() -> None:
    """It still counts as lost: so d-0, which a gives up, goes out before b-0."""
    group = workers(
        {"b": 7, "d": 5, "e": 4}, {"a": "d:0,1,2,3,4", "k": "e:0,1", "m": "e:2,3", "n": ""}
    )
    problem = problem_with_lost(group, claims("b:0,1,2,3,4,5,6"))
    answer = COOPERATIVE.assign(problem)
    held_back = np.flatnonzero(answer.first_round == NOBODY).tolist()
    went_to = [problem.member_ids[worker] for worker in answer.target[held_back]]
    assert dict(zip(map(problem.partition_name, held_back), went_to, strict=True)) == {
        "d-0": "k",
        "b-0": "m",
        "b-1": "k",
        "b-2": "m",
    }


def test_a_task_that_two_run_is_revoked_from_both() -> None:
    """Whatever their generations say; one of them has it again after the next rebalance."""
    group = Group(
        {"c": 3},
        [
            Member("a", ["c"], claims("c:0,1"), generation=2),
            Member("b", ["c"], claims("c:1,2"), generation=1),
        ],
    )
    plan = assign(group, "connect-cooperative")
    assert written(plan.first_round) == {"a": "c:0", "b": "c:2"}
    assert written(plan.assignment) == {"a": "c:0,1", "b": "c:2"}


def test_a_task_of_a_deleted_connector_is_no_load() -> None:
    """A connector that nobody subscribes to any more, and a task beyond the connector's count."""
    group = Group(
        {"c": 2, "old": 3},
        [Member("a", ["c"], claims("old:0,1,2 c:0,7")), Member("b", ["c"], claims("c:1"))],
    )
    plan = assign(group, "connect-cooperative")
    assert written(plan.assignment) == {"a": "c:0", "b": "c:1"}
    assert plan.moves == 0


def test_a_worker_gives_up_first_what_it_ran_first() -> None:
    group = workers({"c": 4}, {"a": "c:3,0,2,1", "b": ""})
    assert written(assign(group, "connect-cooperative").assignment) == {"a": "c:1,2", "b": "c:0,3"}


def test_it_moves_no_more_than_the_optimum_and_nothing_a_second_time() -> None:
    """Where no task runs twice: such a task is taken from both, whoever gets it then."""
    moved = 0
    for number in range(500):
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
    assert moved > 200
