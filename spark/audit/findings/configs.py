"""Settings of brokers and topics that are off for what a cluster does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.finding import ALL_GROUPS, ClusterFinding, FindingRow, Settings
from spark.audit.text import sentence
from spark.text import counted

UNCLEAN = "unclean.leader.election.enable"
REPLICATION, OFFSETS_REPLICATION = (
    "default.replication.factor",
    "offsets.topic.replication.factor",
)
MIN_INSYNC, RETENTION = "min.insync.replicas", "offsets.retention.minutes"

SPREAD = 3
"""Replicas that Kafka's documentation advises for offsets."""

A_WEEKEND = 3 * 24 * 60
"""Minutes for which a group may well be stopped."""


def unclean_election(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics that may be led by a replica that lacks records (KIP-106 made `false` the default)."""
    for (scope, topic, key), value in sorted(facts.configs.items()):
        if (scope, key, value) != ("topic", UNCLEAN, "true") or topic not in facts.partitions:
            continue
        yield FindingRow(f"topic {topic}", facts.partitions[topic], partial(_unclean, facts, topic))


def _unclean(facts: ClusterFacts, topic: str) -> str:
    """What an election would lose."""
    behind = facts.out_of_sync[topic]
    return sentence(
        "A replica out of sync may lead topic {topic} of cluster {cluster} when all others fail: "
        "records that it hasn't copied are lost. {behind} of {all} {have} such replicas now.",
        topic=topic,
        cluster=facts.cluster,
        behind=behind,
        all=counted(facts.partitions[topic], "partition"),
        have="has" if behind == 1 else "have",
    )


UNCLEAN_ELECTION = ClusterFinding(
    name="unclean-election",
    tells="a topic may lose acknowledged records to be led sooner",
    measure="partitions of the topic",
    advice="Unless its records may be lost, set unclean.leader.election.enable=false for the "
    "topic: without a replica in sync it then waits for one.",
    find=unclean_election,
    needs=("configs", ALL_GROUPS),
    warning=1,
)


def broker_settings(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Settings of brokers by which the next topic, or a stopped group, comes to harm."""
    stated: defaultdict[str, dict[str, str]] = defaultdict(dict)
    brokers = {name for scope, name, _ in facts.configs if scope == "broker"}
    for (scope, name, key), value in facts.configs.items():
        if scope == "broker":
            stated[key][name] = value
    for key, by_broker in sorted(stated.items()):
        if len({*by_broker.values()}) > 1:
            values = sorted({f"{value} on broker {name}" for name, value in by_broker.items()})
            yield _off(facts, key, f"brokers differ: {', '.join(values[:4])}")
    same = {key: {*by_broker.values()} for key, by_broker in stated.items()}
    numbers = {
        key: int(value)
        for key, values in same.items()
        if len(values) == 1 and (value := next(iter(values))).isdecimal()
    }
    for key, why in _reasons(numbers, len(brokers)):
        yield _off(facts, key, why)


def _reasons(values: dict[str, int], brokers: int) -> Iterator[tuple[str, str]]:
    """Each setting that is off, and why."""
    factor, least = values.get(REPLICATION), values.get(MIN_INSYNC)
    offsets, kept = values.get(OFFSETS_REPLICATION), values.get(RETENTION)
    if factor == 1 and brokers > 1:
        yield REPLICATION, "it is 1: a new topic is gone with its broker"
    elif factor and least and 1 < factor <= least:
        stops = "one broker down stops their producers with acks=all"
        yield MIN_INSYNC, f"it is {least}, and new topics have {factor} replicas: {stops}"
    if offsets is not None and offsets < min(SPREAD, brokers):
        yield OFFSETS_REPLICATION, f"it is {offsets}: that many brokers down stop groups"
    if kept is not None and kept < A_WEEKEND:
        lost = f"a group that is stopped for {kept / 60:g} hours loses its offsets"
        yield RETENTION, f"it is {kept}: {lost}"


def _off(facts: ClusterFacts, key: str, why: str) -> FindingRow:
    return FindingRow(
        f"setting {key}",
        1,
        lambda: sentence(
            "Setting {key} of cluster {cluster}'s brokers: {why}.",
            whole=("why",),
            key=key,
            cluster=facts.cluster,
            why=why,
        ),
    )


BROKER_SETTINGS = ClusterFinding(
    name="broker-settings",
    tells="a setting of brokers is off for what the cluster does",
    measure="1: there is such a setting",
    advice="Change it with kafka-configs --alter --entity-type brokers, or in each broker's file. "
    "Topics that exist keep their replicas: evenfleet reassign plans others.",
    find=broker_settings,
    needs=("configs", ALL_GROUPS),
    info=1,
)
