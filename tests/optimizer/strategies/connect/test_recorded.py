"""Answers recorded from Kafka Connect 4.3.1's own classes (tests/live/record_connect.py)."""

import gzip
import json
from typing import Any

from optimizer import Group, Member
from optimizer.model import Problem
from optimizer.plan import plan_of
from optimizer.strategies import strategy_named
from tests.optimizer.strategies.connect.workers import problem_with_lost
from tests.optimizer.strategies.test_recorded import Partitions, by_member
from tests.paths import DATA


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
