"""Counts of a cluster's partitions, settings and groups, and what is found in them."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from spark.audit.cluster_evaluator import BEARS, failures_of
from spark.audit.cluster_facts import ClusterFacts
from spark.audit.findings.brokers import broker_settings, coordinator_load
from spark.audit.findings.replicas import bears_no_failure
from spark.fleet.schemas import TABLES
from spark.frames import called
from tests.support.fleets import SCHEMAS, nullable

COUNTS = "spark.audit.partition_counts:count_partitions"

NONE: dict[str, float] = {}


def counted(*tasks: list[dict[str, Any]]) -> ClusterFacts:
    """What several tasks count of partitions, added up; columns that a row lacks are null."""
    columns = dict.fromkeys(column.name for column in TABLES["partitions"].columns)
    cluster = ClusterFacts("c")
    for rows in tasks:
        of_task = ClusterFacts("c")
        table = [columns | {"cluster": "c", "partition": 0} | row for row in rows]
        schema = nullable(SCHEMAS["partitions"])
        called(COUNTS, pa.Table.from_pylist(table, schema), {"c": of_task})
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


def test_brokers_that_cannot_be_and_nulls_count_for_nothing() -> None:
    cluster = counted([{"topic": "t", "leader": -1, "replicas": [-1, None, 7], "isr": [None]}], [])
    assert (cluster.replicas, cluster.behind, cluster.led) == ({7: 1}, {7: 1}, {})


def test_a_broker_is_alone_only_where_others_should_be_in_sync_too() -> None:
    cluster = counted([{"topic": "t", "replicas": of, "isr": [2]} for of in ([2], [2, 3])])
    assert cluster.alone == {2: 1}


class Made(NamedTuple):
    """A partition that makes up a topic of its own."""

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
    return Made(f"t{number:03}", replicas, isr, chance.randint(1, 3), racks)


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


def failures(cluster: ClusterFacts) -> dict[str, list[int | None]]:
    """The row of each topic: how many partitions of it have replicas, and the failures it bears."""
    rows = [row for *_, row in failures_of(cluster)]
    return {row["topic"]: [row[name] for name in ("partitions", *BEARS)] for row in rows}


def test_failures_that_a_topic_bears_are_those_of_every_choice_that_could_fail() -> None:
    """It is as weak as its weakest partition, whichever task has counted that."""
    chance = random.Random(7)
    topics = [made(number, chance) for number in range(300)]
    rows = [topic._asdict() for topic in topics]
    assert failures(counted(rows)) == {topic.topic: [1, *by_force(topic)] for topic in topics}
    of_one = [row | {"topic": "t"} for row in rows]
    weakest = map(min, zip(*map(by_force, topics), strict=True))
    assert failures(counted(of_one[::2], of_one[1::2])) == {"t": [300, *weakest]}


def test_failures_without_isr_minimum_and_racks() -> None:
    rows = [{"topic": "t", "replicas": of} for of in ([1, 2, 3], [1, 2], None)]
    assert failures(counted(rows)) == {"t": [2, 1, 1, 1, None, None, None]}
    assert failures(counted(rows[2:])) == {}


TRIPLE = {"replicas": [1, 2, 3], "isr": [1, 2, 3], "leader": 1, "min_insync_replicas": 2}
RACKS = {"replica_racks": ["east", "east", "west"]}


@pytest.mark.parametrize(
    ("rows", "measure", "text"),
    [
        (
            [
                *({"topic": "strong"} | TRIPLE, {"topic": "weak"} | TRIPLE),
                {"topic": "weak"} | TRIPLE | {"replicas": [2, 3], "isr": [2, 3]},
            ],
            *(0, "1 of 2 topics bear none, such as weak."),
        ),
        # it can't be written now
        (
            [{"topic": "t"} | TRIPLE | {"isr": [1]}],
            *(-1, "bears 0 failed brokers until a partition can't be written, 0 until"),
        ),
        # with their rack brokers 1 and 2 fail, and producers stop, though one broker may fail
        (
            [{"topic": "t"} | TRIPLE | RACKS],
            *(0, "2 until one is lost; failed racks: 0, 1 and 1. 1 of 1 topic bears"),
        ),
    ],
)
def test_the_weakest_topic_of_a_cluster(
    rows: list[dict[str, Any]], measure: int, text: str
) -> None:
    (row,) = bears_no_failure.find(counted(rows), NONE)
    assert (row.subject, row.measure) == ("all topics", measure)
    assert text in row.describe()


SETTINGS = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "offsets.retention.minutes": "10080",
    "group.max.size": "100",
    "group.min.session.timeout.ms": "6000",
    "group.max.session.timeout.ms": "1800000",
    "group.consumer.max.session.timeout.ms": "60000",
    "group.consumer.session.timeout.ms": "45000",
    "group.consumer.heartbeat.interval.ms": "5000",
}


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("group.max.size", "100", None),
        ("min.insync.replicas", "3", "3 replicas: one broker down stops their producers"),
        ("offsets.topic.replication.factor", "1", "it is 1: that many brokers down stop groups"),
        ("offsets.retention.minutes", "60", "stopped for 1 hours loses its offsets"),
        ("offsets.retention.minutes", "60 60 9", "brokers differ: 60 on broker 1, 60 on broker 2"),
        ("group.min.session.timeout.ms", "60000", "session.timeout.ms, 45000, can't join"),
        ("group.max.session.timeout.ms", "30000", "session.timeout.ms, 45000, can't join"),
        ("group.max.session.timeout.ms", "7200000", "keep its partitions for 2.0 hours"),
        ("group.consumer.max.session.timeout.ms", "7200000", "keep its partitions for 2.0 hours"),
        ("group.consumer.session.timeout.ms", "14000", "one or two lost ones end a session"),
    ],
)
def test_settings_of_three_brokers_that_are_off(key: str, value: str, why: str | None) -> None:
    cluster = ClusterFacts("c")
    for name, usual in SETTINGS.items():
        values = (value if name == key else usual).split()
        for broker in range(3):
            cluster.configs["broker", str(broker + 1), name] = values[broker % len(values)]
    found = {row.subject: row.describe() for row in broker_settings.find(cluster, NONE)}
    assert found.keys() == ({f"setting {key}"} if why else set())
    assert why is None or why in found[f"setting {key}"]


@pytest.mark.parametrize(
    ("brokers", "measures"),
    [
        # few groups that are heavy weigh more than many light ones
        ({1: [(10, 100)] * 3, 2: [(1, 5)] * 20}, {"broker 1": 1.94}),
        # who has one heavy group has to have it; what comes on top of it counts
        ({1: [(10, 200)], 2: [(10, 20)], 3: []}, {"broker 1": 1.0}),
        ({1: [(10, 200), (10, 100)], 2: [(10, 20)], 3: []}, {"broker 1": 1.5}),
        # there is no other broker
        ({1: [(10, 200)] * 2}, {}),
        # members alone, and partitions of which nobody is a member
        ({1: [(0, 5000)], 2: [(3, 1)]}, {}),
    ],
)
def test_the_load_of_coordinators(
    brokers: Mapping[int, Sequence[tuple[int, int]]], measures: dict[str, float]
) -> None:
    """By the members and partitions of groups; of brokers with a load of 1,000 or more."""
    cluster = ClusterFacts("c", listed=frozenset(brokers))
    for broker, groups in brokers.items():
        for members, partitions in groups:
            facts = {"coordinator": broker, "members": members, "partitions": partitions}
            cluster.add_group(SimpleNamespace(**facts, group="g", inferred=False, seat=None))
    found = coordinator_load.find(cluster, {"least": 1000.0})
    assert {row.subject: round(row.measure, 2) for row in found} == measures


def test_brokers_that_could_coordinate_count_where_any_does() -> None:
    cluster = ClusterFacts("c", listed=frozenset({2, 3}), keeping=frozenset({1}))
    assert cluster.coordinators == []
    cluster.coordinated[4] += 1
    assert cluster.coordinators == [1, 2, 3, 4]
