"""Settings of brokers and topics, and failures, found in one cluster's facts: no Spark is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.findings.configs import broker_settings, unclean_election
from spark.audit.findings.replicas import bears_no_failure
from tests.spark.audit.test_failures import counted

NONE: dict[str, float] = {}


def cluster_of(
    replicas: dict[str, list[list[int]]],
    isr: dict[str, list[list[int]]] | None = None,
    rack_of: Callable[[int], str] | None = None,
) -> ClusterFacts:
    """A cluster with these replicas by topic; all are in sync unless `isr` says otherwise."""
    return counted(
        [
            {"topic": topic, "partition": number, "replicas": row, "leader": row[0]}
            | {"isr": (isr or replicas)[topic][number], "min_insync_replicas": 2}
            | {"replica_racks": [rack_of(broker) for broker in row] if rack_of else None}
            for topic, partitions in replicas.items()
            for number, row in enumerate(partitions)
        ]
    )


def test_the_weakest_topic_of_a_cluster() -> None:
    cluster = cluster_of({"strong": [[1, 2, 3]], "weak": [[1, 2, 3], [2, 3]]})
    (row,) = bears_no_failure.find(cluster, NONE)
    assert (row.subject, row.measure) == ("all topics", 0)
    assert "1 of 2 topics bear none, such as weak." in row.describe()


def test_a_topic_that_cannot_be_written_now() -> None:
    cluster = cluster_of({"t": [[1, 2, 3]]}, {"t": [[1]]})
    (row,) = bears_no_failure.find(cluster, NONE)
    assert row.measure == -1
    assert "bears 0 failed brokers until a partition can't be written, 0 until" in row.describe()


def test_racks_that_may_fail() -> None:
    """Brokers 1 and 2 share a rack: with it producers of t stop, though one broker may fail."""
    cluster = cluster_of(
        {"t": [[1, 2, 3]]}, rack_of=lambda broker: "east" if broker < 3 else "west"
    )
    (row,) = bears_no_failure.find(cluster, NONE)
    assert row.measure == 0
    assert "bears 1 failed broker until" in row.describe()
    assert "2 until one is lost; failed racks: 0, 1 and 1. 1 of 1 topic bears" in row.describe()


def test_one_broker_bears_nothing_and_that_is_no_news() -> None:
    assert [*bears_no_failure.find(cluster_of({"t": [[1]]}), NONE)] == []


def test_counts_of_tasks_add_up() -> None:
    """The weakest partition of a topic may be in any of them."""
    cluster = cluster_of({"t": [[1, 2, 3]]})
    cluster.add(cluster_of({"t": [[1, 2]]}))
    assert cluster.bears["t", 0] == 0


def test_what_an_unclean_election_would_lose() -> None:
    cluster = cluster_of({"t": [[1, 2, 3], [2, 3, 1]]}, {"t": [[1], [2, 3, 1]]})
    cluster.configs["topic", "t", "unclean.leader.election.enable"] = "true"
    cluster.configs["topic", "gone", "unclean.leader.election.enable"] = "true"
    (row,) = unclean_election.find(cluster, NONE)
    assert (row.subject, row.measure) == ("topic t", 2)
    assert row.describe() == (
        "A replica out of sync may lead topic t of cluster c when all others fail: records that it "
        "hasn't copied are lost. 1 of 2 partitions has such replicas now; 1 loses "
        "records if one more broker fails."
    )


def test_settings_of_brokers_that_are_off() -> None:
    cluster = ClusterFacts("c")
    values = {
        "default.replication.factor": ("2", "2", "2"),
        "min.insync.replicas": ("2", "2", "2"),
        "offsets.topic.replication.factor": ("1", "1", "1"),
        "offsets.retention.minutes": ("60", "60", "1440"),
        "group.max.size": ("100", "100", "100"),
    }
    for key, of_broker in values.items():
        for broker, value in enumerate(of_broker, 1):
            cluster.configs["broker", str(broker), key] = value
    rows = [*broker_settings.find(cluster, NONE)]
    found = {row.subject: row.describe() for row in rows}
    assert [row.subject for row in rows] == [
        "setting offsets.retention.minutes",
        "setting min.insync.replicas",
        "setting offsets.topic.replication.factor",
    ]
    assert "one broker down stops their producers" in found["setting min.insync.replicas"]


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("group.min.session.timeout.ms", 60_000, "session.timeout.ms, 45000, can't join"),
        ("group.max.session.timeout.ms", 30_000, "session.timeout.ms, 45000, can't join"),
        ("group.max.session.timeout.ms", 7_200_000, "keep its partitions for 2.0 hours"),
        ("group.consumer.max.session.timeout.ms", 7_200_000, "keep its partitions for 2.0 hours"),
        ("group.consumer.session.timeout.ms", 14_000, "one or two lost ones end a session"),
    ],
)
def test_bounds_of_sessions_that_are_off(key: str, value: int, why: str) -> None:
    cluster = ClusterFacts("c")
    defaults = {
        "group.min.session.timeout.ms": 6000,
        "group.max.session.timeout.ms": 1_800_000,
        "group.consumer.max.session.timeout.ms": 60_000,
        "group.consumer.session.timeout.ms": 45_000,
        "group.consumer.heartbeat.interval.ms": 5000,
    }
    cluster.configs |= {("broker", "1", name): str(one) for name, one in defaults.items()}
    assert [*broker_settings.find(cluster, NONE)] == []
    cluster.configs["broker", "1", key] = str(value)
    (row,) = broker_settings.find(cluster, NONE)
    assert (row.subject, why in row.describe()) == (f"setting {key}", True)
