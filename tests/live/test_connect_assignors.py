"""Kafka Connect's own assignors, in Java, give the same tasks to the same workers.

SEED=… replays a run.
"""

from __future__ import annotations

import os
import random
import time
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from optimizer import Group
from tests.live.java_assignors import CONNECT_PACKAGES, JavaConnectAssignors, add_jars
from tests.optimizer.strategies.connect.test_recorded import answered
from tests.optimizer.strategies.connect.workers import drawn_workers, problem_with_lost
from tests.optimizer.strategies.test_recorded import by_member

GROUPS = 3000


@pytest.fixture(scope="module")
def java(spark: SparkSession) -> JavaConnectAssignors:
    try:
        add_jars(spark, CONNECT_PACKAGES)
    except (Py4JError, PySparkException):
        pytest.skip("Spark can't resolve Kafka's jars here; conf/packages.toml names them")
    return JavaConnectAssignors(spark)


def test_same_tasks_for_the_same_workers(java: JavaConnectAssignors) -> None:
    """New, lost, deleted and doubled tasks; wherever the connectors' own instances are."""
    seed = os.environ.get("SEED", str(time.time_ns()))
    print(f"\nSEED={seed}")
    drawn = [drawn_workers(f"{seed}-{number}") for number in range(GROUPS)]
    answers = java.answers(
        [as_json(f"{seed}-{number}", group, lost) for number, (group, lost) in enumerate(drawn)]
    )
    rounds = []
    for number, ((group, lost), kafka) in enumerate(zip(drawn, answers, strict=True)):
        problem = problem_with_lost(group, lost)
        report = f"SEED={seed}, group {number}"
        assert answered(problem, "connect-eager")[-1] == by_member(kafka["eager"]), report
        first, target = answered(problem, "connect-cooperative")
        assert first == by_member(kafka["rounds"][0]), report
        assert target == by_member(kafka["rounds"][-1]), report
        rounds.append(len(kafka["rounds"]))
    assert set(rounds) == {1, 2}


def as_json(seed: str, group: Group, lost: list[tuple[str, int]]) -> dict[str, Any]:
    """A group as ConnectAssignors.java reads it; who runs tasks may run connectors as well."""
    draw = random.Random(f"{seed}-connectors")
    configured = list(group.members[0].topics)
    idle = idle_workers(group)
    busy = [worker.member_id for worker in group.members if worker.member_id not in idle]
    owner = {name: draw.choice([*busy, None]) for name in configured}
    return {
        "connectors": {name: group.topics[name] for name in configured},
        "lost": lost,
        "idle": idle,
        "workers": [
            {
                "id": worker.member_id,
                "connectors": [name for name in configured if owner[name] == worker.member_id],
                "tasks": worker.owned,
            }
            for worker in group.members
        ],
    }


def idle_workers(group: Group) -> list[str]:
    """Workers that run nothing that is configured and that nobody else runs."""
    claims = [claim for worker in group.members for claim in worker.owned]
    return [
        worker.member_id
        for worker in group.members
        if not any(
            name in worker.topics and claims.count((name, n)) == 1 for name, n in worker.owned
        )
    ]
