"""Brokers that do too much for groups, reads across racks, and settings that harm."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.facts import GroupFacts
from spark.audit.finding import (
    ClusterFinding,
    GroupFinding,
    Measured,
    Thresholds,
    decimal,
    measured,
    measured_each,
)
from spark.audit.findings.members import KAFKAS_SESSION_MS


@GroupFinding(
    tells="reads cross racks that an equally balanced assignment would keep local",
    measure="avoidable reads across racks ÷ all reads of members whose rack is known, at most",
    advice="Set replica.selector.class on the brokers so that members read in their own rack, or "
    "use an assignment that knows racks.",
    needs=("members.rack", "partitions.leader_rack"),
    levels={"info": 0.25},
    settings={"least": (4, "groups with at least this many avoidable reads")},
    template="{across} of {reads:partition} of group {group} are read across racks; up to "
    "{avoidable} of them could be local without a change of loads.",
)
def cross_rack_reads(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Reads from a leader in another rack, against the most that could be local at these loads.

    An upper bound by counting: in each rack no more than the partitions that are led there, and
    no more than its members carry now. Subscriptions may allow less.
    """
    if group.plan is None or not group.row.member_racks.any():
        return
    owner, _, led = group.led
    of_members = group.row.member_racks
    reader = of_members[owner]
    mask = (reader != 0) & (led != 0)
    reads = int(np.count_nonzero(mask))
    if not reads:
        return
    local = int(np.count_nonzero((reader == led) & mask))
    sides = reader[mask], led[mask]
    most = (min(np.count_nonzero(of == rack) for of in sides) for rack in np.unique(of_members))
    avoidable = int(sum(most)) - local
    if avoidable >= thresholds["least"]:
        across = reads - local
        yield measured(avoidable / reads, across=across, reads=reads, avoidable=avoidable)


@GroupFinding(
    tells="all partitions of a member are led by one broker",
    measure="partitions of the member",
    advice="One broker's trouble is all of this member's: a number of members that shares no "
    "factor with the number of brokers spreads them.",
    needs=("partitions.leader",),
    levels={"info": 4},
    each="member",
    template="All {measure} partitions of member {name} of group {group} are led by broker "
    "{leader:whole}.",
)
def one_leader(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
        yield measured(int(owned[at]), plan.names[at], leader=int(of_owner[at]))


@ClusterFinding(
    tells="a broker coordinates groups out of proportion",
    measure="Σ members × partitions of the groups that the broker coordinates ÷ the mean of the "
    "cluster's brokers, or ÷ that of its heaviest group if that is more",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    needs=("coordinators",),
    levels={"info": 1.5, "warning": 3.0},
    settings={"least": (1000, "brokers whose groups have at least this many members × partitions")},
    each="broker",
    template="Broker {name} of cluster {cluster} coordinates {broker.groups} of its {every} groups "
    "with {broker.load} of {total} members × partitions; the mean of its {brokers} brokers is "
    "{mean:decimal}. Most has group {broker.heaviest.group} with {broker.heaviest.load}: "
    "{broker.heaviest.seat}.",
)
def coordinator_load(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Brokers that coordinate more of a cluster's load than their share.

    A group can't be shared: who coordinates a heavy one isn't told more than what comes on top.
    """
    brokers, mean = cluster.coordinators, cluster.mean_load
    if len(brokers) < 2:
        return
    every = sum(broker.groups for broker in brokers.values())
    total = sum(broker.load for broker in brokers.values())
    for name, broker in brokers.items():
        if broker.heaviest and broker.load and broker.load >= thresholds["least"]:
            yield measured(
                broker.load / max(mean, broker.heaviest.load),
                str(name),
                broker=broker,
                brokers=len(brokers),
                mean=mean,
                every=every,
                total=total,
            )


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
    needs=("configs",),
    levels={"warning": 1},
    each="topic",
    template="A replica out of sync may lead topic {name} of cluster {cluster} when all others "
    "fail: records that it hasn't copied are lost. {out_of_sync} of {measure:partition} "
    "{out_of_sync:has|have} such replicas now; {one_from_loss} {one_from_loss:loses|lose} records "
    "if one more broker fails.",
)
def unclean_election(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Topics that may be led by a replica that lacks records (KIP-106 made `false` the default)."""
    topics = {
        topic: cluster.partitions[topic]
        for (scope, topic, key), value in sorted(cluster.configs.items())
        if (scope, key, value) == ("topic", UNCLEAN, "true") and topic in cluster.partitions
    }
    yield from measured_each(cluster, topics)


@ClusterFinding(
    tells="a broker setting doesn't suit the cluster",
    measure="1: there is such a setting",
    advice="Change it with kafka-configs --alter --entity-type brokers, or in each broker's file. "
    "Topics that exist keep their replicas: evenfleet reassign plans others.",
    needs=("configs",),
    levels={"info": 1},
    each="setting",
    template="Setting {name} of cluster {cluster}'s brokers: {why:whole}.",
)
def broker_settings(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    by_key: defaultdict[str, dict[str, str]] = defaultdict(dict)
    brokers = {name for scope, name, _ in cluster.configs if scope == "broker"}
    for (scope, name, key), value in cluster.configs.items():
        if scope == "broker":
            by_key[key][name] = value
    for key, by_broker in sorted(by_key.items()):
        if len({*by_broker.values()}) > 1:
            texts = sorted({f"{value} on broker {name}" for name, value in by_broker.items()})
            yield measured(1, key, why=f"brokers differ: {', '.join(texts[:4])}")
    same = {key: {*by_broker.values()} for key, by_broker in by_key.items()}
    numbers = {
        key: int(value)
        for key, texts in same.items()
        if len(texts) == 1 and (value := next(iter(texts))).isdecimal()
    }
    for key, why in (*_reasons(numbers, len(brokers)), *_session_reasons(numbers)):
        yield measured(1, key, why=why)


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
