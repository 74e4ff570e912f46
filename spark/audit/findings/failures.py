"""Clusters in which the next failure of a broker stops producers of some topic."""

from __future__ import annotations

from collections.abc import Iterator

from spark.audit.cluster_facts import FAILURES, ClusterFacts
from spark.audit.finding import ALL_GROUPS, ClusterFinding, FindingRow, Settings
from spark.audit.text import sentence
from spark.text import counted


def bears_no_failure(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """A cluster of several brokers: how many may fail, and its weakest topic."""
    if len(facts.replicas) < 2 or not facts.bears:
        return
    writes = {topic: number for (topic, what), number in facts.bears.items() if what == 0}
    write, read, keep = (
        min(number for (_, of), number in facts.bears.items() if of == what)
        for what in range(len(FAILURES))
    )
    yield FindingRow(
        "all topics",
        write,
        lambda: sentence(
            "Cluster {cluster} bears {failed} until a partition can't be written, {read} until one "
            "can't be read, {keep} until one is lost. {weak} of {topics} {bear} none, such as "
            "{weakest}.",
            cluster=facts.cluster,
            failed=counted(max(write, 0), "failed broker"),
            read=max(read, 0),
            keep=keep,
            weak=sum(number < 1 for number in writes.values()),
            topics=counted(len(writes), "topic"),
            bear="bears" if len(writes) == 1 else "bear",
            weakest=min(writes, key=lambda topic: (writes[topic], topic)),
        ),
    )


BEARS_NO_FAILURE = ClusterFinding(
    name="bears-no-failure",
    tells="the next broker that fails stops producers of some topic",
    measure="brokers that may fail before a partition can't be written with acks=all",
    advice="Raise replication factors above min.insync.replicas: plan that with evenfleet "
    "reassign. The audit's table failures has each topic, and racks.",
    find=bears_no_failure,
    needs=("partitions.replicas", ALL_GROUPS),
    info=1,
    below=True,
)
