"""How many failures a topic bears, against every choice of brokers or racks that could fail."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa

from spark.audit.cluster_evaluator import BEARS, failures_of
from spark.audit.cluster_facts import ClusterFacts
from spark.audit.partition_counts import count_partitions
from spark.fleet.schemas import TABLES
from tests.support.fleets import SCHEMAS, nullable


class Made(NamedTuple):
    """A partition that makes up a topic of its own."""

    cluster: str
    topic: str
    replicas: list[int]
    isr: list[int]
    min_insync_replicas: int
    replica_racks: list[str]


def made(number: int, chance: random.Random) -> Made:
    rack_of = {broker: chance.choice("abc") for broker in range(7)}
    replicas = chance.sample(range(7), chance.randint(1, 5))
    isr = [broker for broker in replicas if chance.random() < 0.8]
    racks = [rack_of[broker] for broker in replicas]
    return Made("c", f"t{number:03}", replicas, isr, chance.randint(1, 3), racks)


def most(parts: list[set[int]], holds: Callable[[set[int]], bool]) -> int:
    """How many of these sets of brokers may fail, whichever they are, while it holds; -1: none."""
    for count in range(len(parts) + 1):
        failed = (set().union(*chosen) for chosen in combinations(parts, count))
        if not all(holds(brokers) for brokers in failed):
            return count - 1
    return len(parts)


def by_force(of: Made) -> list[int]:
    holds = (
        lambda failed: len(set(of.isr) - failed) >= of.min_insync_replicas,
        lambda failed: len(set(of.isr) - failed) >= 1,
        lambda failed: len(set(of.replicas) - failed) >= 1,
    )
    brokers = [{broker} for broker in of.replicas]
    pairs = list(zip(of.replicas, of.replica_racks, strict=True))
    racks = [{b for b, r in pairs if r == rack} for rack in sorted(set(of.replica_racks))]
    return [most(parts, one) for parts in (brokers, racks) for one in holds]


def counted(rows: list[dict[str, Any]]) -> ClusterFacts:
    """A cluster with these partitions; columns that a row lacks are null."""
    names = [column.name for column in TABLES["partitions"].columns]
    table = [dict.fromkeys(names) | {"cluster": "c", "partition": 0} | row for row in rows]
    cluster = ClusterFacts("c")
    count_partitions(cluster, pa.Table.from_pylist(table, nullable(SCHEMAS["partitions"])))
    return cluster


def failures(cluster: ClusterFacts) -> dict[str, list[int | None]]:
    """The row of each topic: how many partitions of it have replicas, and the failures it bears."""
    rows = [row for *_, row in failures_of(cluster)]
    return {row["topic"]: [row[name] for name in ("partitions", *BEARS)] for row in rows}


def test_each_number_is_that_of_every_choice() -> None:
    chance = random.Random(7)
    topics = [made(number, chance) for number in range(300)]
    rows = failures(counted([topic._asdict() for topic in topics]))
    assert rows == {topic.topic: [1, *by_force(topic)] for topic in topics}


def test_a_topic_is_as_weak_as_its_weakest_partition() -> None:
    """Whichever task has counted it."""
    chance = random.Random(8)
    topics = [made(number, chance) for number in range(300)]
    tasks = [
        counted([topic._asdict() | {"topic": "t"} for topic in topics[at::2]]) for at in (0, 1)
    ]
    tasks[0].add(tasks[1])
    weakest = map(min, zip(*map(by_force, topics), strict=True))
    assert failures(tasks[0]) == {"t": [300, *weakest]}


def test_without_isr_minimum_and_racks() -> None:
    replicas = ([1, 2, 3], [1, 2], None)
    rows = [
        {"topic": "t", "partition": number, "replicas": row} for number, row in enumerate(replicas)
    ]
    assert failures(counted(rows)) == {"t": [2, 1, 1, 1, None, None, None]}
    assert failures(counted(rows[2:])) == {}
