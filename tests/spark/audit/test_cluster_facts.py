"""Counts of a cluster's partitions, settings and groups, and what is found in them."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from spark.audit.cluster_facts import BEARS, ClusterFacts, Coordinated
from spark.audit.findings.brokers import broker_settings, coordinator_load
from spark.audit.findings.replicas import bears_no_failure
from spark.frames import call
from tests.support.fleets import SCHEMAS, nullable

SCHEMA = pa.schema(
    {
        **{field.name: field.type for field in nullable(SCHEMAS["partitions"])},
        **{"kind": pa.string(), "coordinator": pa.int32(), "group": pa.string()},
        **{"members": pa.int32(), "partitions": pa.int32()},
        **{"inferred": pa.bool_(), "seat": pa.string()},
    }
)


def counted(rows: list[dict[str, Any]]) -> ClusterFacts:
    """The counts of these partitions; columns that a row lacks are null."""
    return facts_of(partition=[{"partition": 0} | row for row in rows])


def facts_of(**kinds: list[dict[str, Any]]) -> ClusterFacts:
    """Facts of a cluster with these rows of each kind, and of no other partitions."""
    rows = [row | {"kind": kind} for kind, of_kind in kinds.items() for row in of_kind]
    table = pa.Table.from_pylist([row | {"cluster": "c"} for row in rows], SCHEMA)
    counts = call("spark.audit.cluster_counts:counts_of", table)
    return ClusterFacts(name="c", **counts.get("c", {}))


def test_brokers_that_cannot_be_and_nulls_count_for_nothing() -> None:
    cluster = counted([{"topic": "t", "leader": -1, "replicas": [-1, None, 7], "isr": [None]}])
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
    return {
        row["topic"]: [row[name] for name in ("partitions", *BEARS)] for row in cluster.failures
    }


def test_failures_that_a_topic_bears_are_those_of_every_choice_that_could_fail() -> None:
    """It is as weak as its weakest partition."""
    chance = random.Random(7)
    topics = [made(number, chance) for number in range(300)]
    rows = [topic._asdict() for topic in topics]
    assert failures(counted(rows)) == {topic.topic: [1, *by_force(topic)] for topic in topics}
    of_one = [row | {"topic": "t"} for row in rows]
    weakest = map(min, zip(*map(by_force, topics), strict=True))
    assert failures(counted(of_one)) == {"t": [300, *weakest]}


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
    (row,) = bears_no_failure.rows(counted(rows), bears_no_failure.levels | {"info": measure + 1})
    assert (row["subject"], row["measure"]) == ("all topics", measure)
    assert text in row["sentence"]


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
    configs = {}
    for name, usual in SETTINGS.items():
        values = (value if name == key else usual).split()
        for broker in range(3):
            configs["broker", str(broker + 1), name] = values[broker % len(values)]
    cluster = ClusterFacts(name="c", configs=configs)
    rows = broker_settings.rows(cluster, broker_settings.levels)
    found = {row["subject"]: row["sentence"] for row in rows}
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
        # more than 32 bits hold
        ({1: [(100_000, 1_000_000)], 2: [(10, 20)]}, {"broker 1": 1.0}),
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
    groups = [
        {"coordinator": broker, "group": "g", "members": members, "partitions": partitions}
        for broker, sizes in brokers.items()
        for members, partitions in sizes
    ]
    cluster = facts_of(coordinated=groups)
    cluster.listed = frozenset(brokers)
    rows = coordinator_load.rows(cluster, {**coordinator_load.levels, "least": 1000.0, "info": 0.1})
    assert {row["subject"]: round(row["measure"], 2) for row in rows} == measures


def test_brokers_that_could_coordinate_count_where_any_does() -> None:
    cluster = ClusterFacts(name="c", listed=frozenset({2, 3}), keeping=frozenset({1}))
    assert cluster.coordinators == {}
    cluster.coordinated = {4: Coordinated(1)}
    assert [*cluster.coordinators] == [1, 2, 3, 4]
