"""Settings of brokers and topics, and failures, found in one cluster's facts: no Spark is asked."""

from __future__ import annotations

import pyarrow as pa

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.findings.configs import broker_settings, unclean_election
from spark.audit.findings.failures import bears_no_failure
from spark.audit.partition_counts import count_partitions
from spark.fleet.schemas import TABLES
from tests.spark.support.fleets import SCHEMAS, nullable

NONE: dict[str, float] = {}


def facts_of(
    replicas: dict[str, list[list[int]]], isr: dict[str, list[list[int]]] | None = None
) -> ClusterFacts:
    """A cluster with these replicas by topic; all are in sync unless `isr` says otherwise."""
    names = [column.name for column in TABLES["partitions"].columns]
    rows = [
        dict.fromkeys(names)
        | {"cluster": "c", "topic": topic, "partition": number, "replicas": row, "leader": row[0]}
        | {"isr": (isr or replicas)[topic][number], "min_insync_replicas": 2}
        for topic, partitions in replicas.items()
        for number, row in enumerate(partitions)
    ]
    facts = ClusterFacts("c")
    count_partitions(facts, pa.Table.from_pylist(rows, nullable(SCHEMAS["partitions"])))
    return facts


def test_the_weakest_topic_of_a_cluster() -> None:
    facts = facts_of({"strong": [[1, 2, 3]], "weak": [[1, 2, 3], [2, 3]]})
    (row,) = bears_no_failure(facts, NONE)
    assert (row.subject, row.measure) == ("all topics", 0)
    assert "1 of 2 topics bear none, such as weak." in row.describe()


def test_a_topic_that_cannot_be_written_now() -> None:
    facts = facts_of({"t": [[1, 2, 3]]}, {"t": [[1]]})
    (row,) = bears_no_failure(facts, NONE)
    assert row.measure == -1
    assert "bears 0 failed brokers until a partition can't be written, 0 until" in row.describe()


def test_one_broker_bears_nothing_and_that_is_no_news() -> None:
    assert [*bears_no_failure(facts_of({"t": [[1]]}), NONE)] == []


def test_counts_of_tasks_add_up() -> None:
    """The weakest partition of a topic may be in any of them."""
    facts = facts_of({"t": [[1, 2, 3]]})
    facts.add(facts_of({"t": [[1, 2]]}))
    assert facts.bears["t", 0] == 0


def test_what_an_unclean_election_would_lose() -> None:
    facts = facts_of({"t": [[1, 2, 3], [2, 3, 1]]}, {"t": [[1], [2, 3, 1]]})
    facts.configs["topic", "t", "unclean.leader.election.enable"] = "true"
    facts.configs["topic", "gone", "unclean.leader.election.enable"] = "true"
    (row,) = unclean_election(facts, NONE)
    assert (row.subject, row.measure) == ("topic t", 2)
    assert row.describe() == (
        "A replica out of sync may lead topic t of cluster c when all others fail: records that it "
        "hasn't copied are lost. 1 of 2 partitions has such replicas now."
    )


def test_settings_of_brokers_that_are_off() -> None:
    facts = ClusterFacts("c")
    values = {
        "default.replication.factor": ("2", "2", "2"),
        "min.insync.replicas": ("2", "2", "2"),
        "offsets.topic.replication.factor": ("1", "1", "1"),
        "offsets.retention.minutes": ("60", "60", "1440"),
        "group.max.size": ("100", "100", "100"),
    }
    for key, of_broker in values.items():
        for broker, value in enumerate(of_broker, 1):
            facts.configs["broker", str(broker), key] = value
    rows = [*broker_settings(facts, NONE)]
    found = {row.subject: row.describe() for row in rows}
    assert [row.subject for row in rows] == [
        "setting offsets.retention.minutes",
        "setting min.insync.replicas",
        "setting offsets.topic.replication.factor",
    ]
    assert "one broker down stops their producers" in found["setting min.insync.replicas"]
