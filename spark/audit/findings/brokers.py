"""Brokers that do too much for groups, and settings of theirs that harm."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.facts import GroupFacts
from spark.audit.finding import (
    ALL_GROUPS,
    ClusterFinding,
    FindingRow,
    GroupFinding,
    Measures,
    Thresholds,
    about,
    decimal,
)
from spark.audit.findings.timeouts import KAFKAS_SESSION_MS


@GroupFinding(
    tells="all partitions of a member are led by one broker",
    measure="partitions of the member",
    advice="One broker's trouble is all of this member's: a number of members that shares no "
    "factor with the number of brokers spreads them.",
    needs=("partitions.leader",),
    levels={"info": 4},
)
def one_leader(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    plan = group.plan
    if plan is None or not group.several_brokers or not len(group.led.owner):
        return
    owner, leader, _ = group.led
    of_owner = np.full(group.members, -1)
    of_owner[owner] = leader
    other = (leader != of_owner[owner]) | (leader < 0)
    owned = np.bincount(owner, minlength=group.members)
    owned[owner[other]] = 0
    for at in np.flatnonzero(owned).tolist():
        member = plan.names[at]
        yield about(
            group,
            int(owned[at]),
            "All {owned} partitions of member {member} of group {group} are led by broker "
            "{leader:whole}.",
            f"member {member}",
            owned=int(owned[at]),
            member=member,
            leader=int(of_owner[at]),
        )


@ClusterFinding(
    tells="a broker coordinates groups out of proportion",
    measure="Σ members × partitions of the groups that the broker coordinates ÷ the mean of the "
    "cluster's brokers, or ÷ that of its heaviest group if that is more",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    needs=("coordinators", ALL_GROUPS),
    levels={"info": 1.5, "warning": 3.0},
    settings={"least": 1000},
    meanings={"least": "brokers whose groups have at least this many members × partitions"},
    each="broker",
    template="Broker {name} of cluster {cluster} coordinates {groups} of its {every} groups with "
    "{load} of {total} members × partitions; the mean of its {brokers} brokers is {mean:decimal}. "
    "Most has group {heaviest.group} with {heaviest.load}: {heaviest.seat}.",
)
def coordinator_load(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measures]:
    """Brokers that coordinate more of a cluster's load than their share.

    A group can't be shared: who coordinates a heavy one isn't told more than what comes on top.
    """
    brokers, mean = cluster.coordinators, cluster.mean_load
    loads = {
        name: broker.load / max(mean, broker.heaviest.load)
        for name, broker in brokers.items()
        if broker.heaviest and broker.load and broker.load >= thresholds["least"]
    }
    if len(brokers) > 1:
        counts = {
            blank: {name: getattr(broker, blank) for name, broker in brokers.items()}
            for blank in ("groups", "load", "heaviest")
        }
        totals = {"every": sum(counts["groups"].values()), "total": sum(counts["load"].values())}
        yield loads, {**counts, **totals, "brokers": len(brokers), "mean": mean}


UNCLEAN = "unclean.leader.election.enable"
REPLICATION, OFFSETS_REPLICATION = (
    "default.replication.factor",
    "offsets.topic.replication.factor",
)
LEAST_SESSION, MOST_SESSION = "group.min.session.timeout.ms", "group.max.session.timeout.ms"
CONSUMERS_SESSION, CONSUMERS_MOST_SESSION, HEARTBEAT = (
    "group.consumer.session.timeout.ms",
    "group.consumer.max.session.timeout.ms",
    "group.consumer.heartbeat.interval.ms",
)
MIN_INSYNC, RETENTION = "min.insync.replicas", "offsets.retention.minutes"

SPREAD = 3
"""Replicas that Kafka's documentation advises for offsets."""

A_WEEKEND = 3 * 24 * 60
"""Minutes for which a group may well be stopped."""

HALF_AN_HOUR = 30 * 60 * 1000
"""Milliseconds: the longest session that Kafka's own defaults allow."""

HEARTBEATS = 3
"""Heartbeats that a session should last for (Kafka's advice on heartbeat.interval.ms)."""


@ClusterFinding(
    tells="a topic may lose acknowledged records to be led sooner",
    measure="partitions of the topic",
    advice="Unless its records may be lost, set unclean.leader.election.enable=false for the "
    "topic: without a replica in sync it then waits for one.",
    needs=("configs", ALL_GROUPS),
    levels={"warning": 1},
    each="topic",
    template="A replica out of sync may lead topic {name} of cluster {cluster} when all others "
    "fail: records that it hasn't copied are lost. {behind} of {measure:partition} "
    "{behind:has|have} such replicas now; {next} {next:loses|lose} records if one more broker "
    "fails.",
)
def unclean_election(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measures]:
    """Topics that may be led by a replica that lacks records (KIP-106 made `false` the default)."""
    topics = {
        topic: cluster.partitions[topic]
        for (scope, topic, key), value in sorted(cluster.configs.items())
        if (scope, key, value) == ("topic", UNCLEAN, "true") and topic in cluster.partitions
    }
    behind = {topic: cluster.out_of_sync[topic] for topic in topics}
    yield (
        topics,
        {"behind": behind, "next": {topic: cluster.one_from_loss[topic] for topic in topics}},
    )


@ClusterFinding(
    tells="a broker setting doesn't suit the cluster",
    measure="1: there is such a setting",
    advice="Change it with kafka-configs --alter --entity-type brokers, or in each broker's file. "
    "Topics that exist keep their replicas: evenfleet reassign plans others.",
    needs=("configs", ALL_GROUPS),
    levels={"info": 1},
    each="setting",
    template="Setting {name} of cluster {cluster}'s brokers: {why:whole}.",
)
def broker_settings(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measures]:
    by_key: defaultdict[str, dict[str, str]] = defaultdict(dict)
    brokers = {name for scope, name, _ in cluster.configs if scope == "broker"}
    for (scope, name, key), value in cluster.configs.items():
        if scope == "broker":
            by_key[key][name] = value
    for key, by_broker in sorted(by_key.items()):
        if len({*by_broker.values()}) > 1:
            texts = sorted({f"{value} on broker {name}" for name, value in by_broker.items()})
            yield {key: 1}, {"why": f"brokers differ: {', '.join(texts[:4])}"}
    same = {key: {*by_broker.values()} for key, by_broker in by_key.items()}
    numbers = {
        key: int(value)
        for key, texts in same.items()
        if len(texts) == 1 and (value := next(iter(texts))).isdecimal()
    }
    for key, why in (*_reasons(numbers, len(brokers)), *_session_reasons(numbers)):
        yield {key: 1}, {"why": why}


def _reasons(numbers: dict[str, int], brokers: int) -> Iterator[tuple[str, str]]:
    """Each setting that is off, and why."""
    factor, least = numbers.get(REPLICATION), numbers.get(MIN_INSYNC)
    offsets, kept = numbers.get(OFFSETS_REPLICATION), numbers.get(RETENTION)
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


def _session_reasons(numbers: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Bounds of sessions that keep consumers out, or partitions with members that are gone."""
    least, most = numbers.get(LEAST_SESSION, 0), numbers.get(MOST_SESSION, KAFKAS_SESSION_MS)
    refused = f"consumers with Kafka's own session.timeout.ms, {KAFKAS_SESSION_MS}, can't join"
    if least > KAFKAS_SESSION_MS:
        yield LEAST_SESSION, f"it is {least}: {refused}"
    if most < KAFKAS_SESSION_MS:
        yield MOST_SESSION, f"it is {most}: {refused}"
    for key in (MOST_SESSION, CONSUMERS_MOST_SESSION):
        if numbers.get(key, 0) > HALF_AN_HOUR:
            hours = decimal(numbers[key] / 3_600_000)
            yield (
                key,
                f"it is {numbers[key]}: a dead member may keep its partitions for {hours} hours",
            )
    session, heartbeat = numbers.get(CONSUMERS_SESSION), numbers.get(HEARTBEAT)
    if session and heartbeat and session < HEARTBEATS * heartbeat:
        beats = f"heartbeats are {heartbeat} ms apart, so that one or two lost ones end a session"
        yield CONSUMERS_SESSION, f"it is {session}, and {beats}"
