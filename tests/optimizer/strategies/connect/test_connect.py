"""Kafka Connect's two assignments, by its rules and as its own classes answered."""

import gzip
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Group, Member, assign
from optimizer.model import KafkaFacts, Problem, measure
from optimizer.plan import plan_of
from optimizer.strategies import strategy_named
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost, workers
from tests.optimizer.strategies.test_recorded import Partitions, by_member
from tests.paths import DATA
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


def records() -> list[dict[str, Any]]:
    with gzip.open(DATA / "connect-4.3.1.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def problem_in(record: dict[str, Any]) -> Problem:
    """Connectors that are run and not configured are deleted ones."""
    configured = record["connectors"]
    tasks = [task for worker in record["workers"] for task in worker["tasks"]]
    deleted = {name: number + 1 for name, number in sorted(tasks) if name not in configured}
    members = [
        Member(worker["id"], list(configured), [(name, n) for name, n in worker["tasks"]])
        for worker in record["workers"]
    ]
    return problem_with_lost(Group(configured | deleted, members), record["lost"])


def answered(problem: Problem, strategy: str) -> tuple[Partitions, Partitions]:
    """What the first rebalance hands out, and the target."""
    plan = plan_of(strategy, problem, strategy_named(strategy).assign(problem), [])
    return by_member(plan.first_round), by_member(plan.assignment)


def test_every_record_has_the_same_tasks_for_the_same_workers() -> None:
    rounds = set()
    for number, record in enumerate(records()):
        problem = problem_in(record)
        eager = by_member(record["eager"])
        assert answered(problem, "connect-eager") == (eager, eager), number
        first, last = (by_member(record["rounds"][at]) for at in (0, -1))
        assert answered(problem, "connect-cooperative") == (first, last), number
        rounds.add(len(record["rounds"]))
    assert rounds == {1, 2}
