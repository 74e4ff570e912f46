"""Counts of a cluster's partitions: those of several tasks add up; odd rows count for nothing."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.partition_counts import count_partitions

INTS, TEXTS = pa.list_(pa.int32()), pa.list_(pa.string())
SCHEMA = pa.schema(
    {
        **{"topic": pa.string(), "partition": pa.int32(), "leader": pa.int32()},
        **{"replicas": INTS, "isr": INTS, "replica_racks": TEXTS},
        **{"adding_replicas": INTS, "removing_replicas": INTS},
        "min_insync_replicas": pa.int32(),
    }
)


def counted(*parts: list[dict[str, Any]]) -> ClusterFacts:
    """What several tasks count, added up."""
    cluster = ClusterFacts("c")
    for rows in parts:
        of_task = ClusterFacts("c")
        count_partitions(of_task, pa.Table.from_pylist(rows, SCHEMA))
        cluster.add(of_task)
    return cluster


def partition(number: int) -> dict[str, Any]:
    """One of many kinds, by its number."""
    replicas = [number % 5, (number + 1) % 5, (number + 2) % 5][: 1 + number % 3]
    racks = ("east", "east", "west", "north", None)
    return {
        "topic": f"t{number % 7}" if number % 11 else "group/connector",
        "partition": number,
        "leader": (replicas[0], None, -1, 3)[number % 4],
        "replicas": replicas if number % 13 else None,
        "isr": [replicas, replicas[1:], replicas[::-1], None][number % 4],
        "replica_racks": [racks[broker] for broker in replicas],
        "adding_replicas": [4] if number % 6 == 0 else None,
        "removing_replicas": [4] if number % 12 == 0 else None,
        "min_insync_replicas": 2 if number % 2 else None,
    }


@pytest.mark.parametrize("tasks", [2, 3, 10])
def test_counts_of_several_tasks_add_up(tasks: int) -> None:
    rows = [partition(number) for number in range(200)]
    assert counted(*(rows[at::tasks] for at in range(tasks))) == counted(rows)


def test_by_hand() -> None:
    rows = [
        {"topic": "t", "partition": 0, "leader": 2, "replicas": [1, 2], "isr": [2]},
        {"topic": "t", "partition": 1, "leader": 1, "replicas": [1, 2], "isr": [2, 1]},
        {"topic": "u", "partition": 0, "leader": None, "replicas": [1], "isr": []},
    ]
    cluster = counted(rows)
    assert cluster.replicas == {1: 3, 2: 2}
    assert (cluster.preferred, cluster.away) == ({1: 2}, {1: 1})
    assert (cluster.behind, cluster.first_behind) == ({1: 2}, {1: ("t", 0)})
    assert (cluster.alone, cluster.first_alone) == ({2: 1}, {2: ("t", 0)})
    assert (cluster.single, cluster.leaderless, cluster.first_leaderless) == (
        {"u": 1},
        {"u": 1},
        {"u": 0},
    )


def test_brokers_that_cannot_be_and_nulls_count_for_nothing() -> None:
    cluster = counted(
        [{"topic": "t", "partition": 0, "leader": -1, "replicas": [-1, None, 7], "isr": [None]}], []
    )
    assert (cluster.replicas, cluster.behind, cluster.led) == ({7: 1}, {7: 1}, {})
