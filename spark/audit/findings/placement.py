"""Replicas and leaders that are badly spread over brokers and racks; `reassign` mends most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from spark.audit.cluster_facts import ClusterFacts, partition_name
from spark.audit.finding import ALL_GROUPS, ClusterFinding, FindingRow, Settings, about
from spark.audit.text import decimal
from spark.text import counted

REASSIGN = "Plan it with evenfleet reassign."


def single_replica(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics with partitions of one replica, in clusters where there could be another."""
    if len(facts.replicas) > 1:
        yield from about(
            "topic",
            facts.single,
            "{measure} of {size} of topic {name} in cluster {cluster} {have} one replica only.",
            cluster=lambda _: facts.cluster,
            size=lambda topic: counted(facts.with_replicas[topic], "partition"),
            have=_have(facts.single),
        )


SINGLE_REPLICA = ClusterFinding(
    name="single-replica",
    tells="partitions have one replica only",
    measure="partitions of the topic with one replica",
    advice="When its broker fails nobody can read or write there: raise the replication factor. "
    f"{REASSIGN}",
    find=single_replica,
    needs=("partitions.replicas", ALL_GROUPS),
    info=1,
)


def replicas_at_minimum(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics that need all replicas in sync, so that one broker down stops their producers.

    Those whose minimum is 1 aren't meant: they have one replica, which is a finding of its own.
    """
    yield from about(
        "topic",
        facts.at_minimum,
        "{held} of topic {name} in cluster {cluster} {have} no more replicas than have to be in "
        "sync: {replicas}, with min.insync.replicas {least}.",
        cluster=lambda _: facts.cluster,
        held=lambda topic: counted(facts.at_minimum[topic], "partition"),
        have=_have(facts.at_minimum),
        replicas=facts.fewest.get,
        least=facts.minimum.get,
    )


REPLICAS_AT_MINIMUM = ClusterFinding(
    name="replicas-at-minimum",
    tells="a topic has no more replicas than have to be in sync",
    measure="partitions of the topic with as many replicas as min.insync.replicas, or fewer",
    advice="With one broker down, who writes with acks=all is refused: raise the replication "
    f"factor. {REASSIGN}",
    find=replicas_at_minimum,
    needs=("partitions.replicas", "partitions.min_insync_replicas", ALL_GROUPS),
    warning=1,
)


def replica_skew(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers with more replicas than their share.

    That is the mean of their rack where racks have unequal numbers of brokers: a small rack's
    brokers have to carry more, as replicas of a partition are spread over racks.
    """
    sizes = Counter(facts.rack.values())
    unequal = len({*sizes.values()}) > 1
    among = {broker: f" of rack {rack}" for broker, rack in facts.rack.items() if unequal}
    yield from _skewed(facts, facts.replicas, "replicas", among, settings)


REPLICA_SKEW = ClusterFinding(
    name="replica-skew",
    tells="a broker has replicas out of proportion",
    measure="replicas of the broker ÷ the mean of the cluster's brokers that have any, or of its "
    "rack's where racks have unequal numbers of brokers",
    advice=f"Its disks and network carry more than the others'. {REASSIGN}",
    find=replica_skew,
    needs=("partitions.replicas", ALL_GROUPS),
    info=1.25,
    warning=1.5,
    settings={"least": 10},
)


def leader_skew(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers that lead more partitions than their share; all that have replicas could lead."""
    led = {broker: facts.led[broker] for broker in facts.replicas}
    yield from _skewed(facts, led, "leaders", {}, settings)


LEADER_SKEW = ClusterFinding(
    name="leader-skew",
    tells="a broker leads partitions out of proportion",
    measure="partitions that the broker leads ÷ the mean of the cluster's brokers with replicas",
    advice="Consumers and producers all go to the leader. Elect preferred leaders, or make these "
    f"even: {REASSIGN}",
    find=leader_skew,
    needs=("partitions.leader", "partitions.replicas", ALL_GROUPS),
    info=1.5,
    warning=2.0,
    settings={"least": 10},
)


def _skewed(
    facts: ClusterFacts,
    counts: Mapping[int, int],
    what: str,
    among: Mapping[int, str],
    settings: Settings,
) -> Iterator[FindingRow]:
    """Brokers whose count is above the mean by the setting `least` or more.

    The mean is of the cluster's brokers with the same text in `among`, which says which those are.
    """
    of_part: dict[str, list[int]] = {}
    for broker, count in counts.items():
        of_part.setdefault(among.get(broker, ""), []).append(count)
    means = {part: sum(items) / len(items) for part, items in of_part.items() if len(items) > 1}
    skews = {}
    for broker, count in counts.items():
        mean = means.get(among.get(broker, ""), 0)
        if mean and count - mean >= settings["least"]:
            skews[broker] = count / mean
    yield from about(
        "broker",
        skews,
        "Broker {name} of cluster {cluster} has {count} {what}; the mean of {brokers} "
        "brokers{among} is {mean}.",
        cluster=lambda _: facts.cluster,
        count=counts.get,
        what=lambda _: what,
        brokers=lambda broker: len(of_part[among.get(broker, "")]),
        among=lambda broker: among.get(broker, ""),
        mean=lambda broker: decimal(means[among.get(broker, "")]),
    )


def empty_broker(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers without a replica in clusters that have replicas."""
    replicas, brokers = facts.replicas.total(), len(facts.replicas)
    empty = sorted(facts.listed - facts.replicas.keys()) if brokers else []
    yield from about(
        "broker",
        dict.fromkeys(empty, replicas / (brokers + 1)),
        "Broker {name} of cluster {cluster} has no replica, and {brokers} others have {replicas}.",
        cluster=lambda _: facts.cluster,
        brokers=lambda _: brokers,
        replicas=lambda _: replicas,
    )


EMPTY_BROKER = ClusterFinding(
    name="empty-broker",
    tells="a broker has no replicas",
    measure="replicas that would be its share",
    advice=f"Kafka gives a new broker new topics only. {REASSIGN}",
    find=empty_broker,
    needs=("partitions.replicas", "brokers", ALL_GROUPS),
    info=1,
)


def offline_if_broker_fails(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers that alone are in sync with partitions of several replicas."""
    yield from about(
        "broker",
        facts.alone,
        "Broker {name} of cluster {cluster} alone is in sync with {alone} of several replicas, "
        "such as {first}.",
        cluster=lambda _: facts.cluster,
        alone=lambda broker: counted(facts.alone[broker], "partition"),
        first=lambda broker: partition_name(facts.first_alone[broker]),
    )


OFFLINE_IF_BROKER_FAILS = ClusterFinding(
    name="offline-if-broker-fails",
    tells="one broker alone is in sync with partitions of several replicas",
    measure="partitions with which the broker alone is in sync",
    advice="Don't restart it before the other replicas have caught up.",
    find=offline_if_broker_fails,
    needs=("partitions.replicas", "partitions.isr", ALL_GROUPS),
    warning=1,
)


def offline_if_rack_fails(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Racks that have all replicas of partitions of several, where there are other racks."""
    if len(facts.racks) > 1:
        yield from about(
            "rack",
            facts.held,
            "Rack {name} of cluster {cluster} has all replicas of {held}, such as {first}.",
            cluster=lambda _: facts.cluster,
            held=lambda rack: counted(facts.held[rack], "partition"),
            first=lambda rack: partition_name(facts.first_held[rack]),
        )


OFFLINE_IF_RACK_FAILS = ClusterFinding(
    name="offline-if-rack-fails",
    tells="all replicas of a partition are in one rack, and there are others",
    measure="partitions of several replicas that the rack has all of",
    advice=f"When the rack fails, nobody can read or write there. {REASSIGN}",
    find=offline_if_rack_fails,
    needs=("partitions.replicas", ALL_GROUPS),
    info=1,
)


def reassignment_stuck(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics with partitions whose reassignment never ends.

    They have no leader to copy from, or a replica is added and removed at once: so it is after a
    rollback of a move that was still running, seen with Kafka 4.3.1.
    """
    for counts, firsts, why in (
        (facts.stuck, facts.first_stuck, "without a leader to copy from"),
        (facts.reversed, facts.first_reversed, "with a replica both added and removed"),
    ):
        yield from _stuck(facts, counts, firsts, why)


def _stuck(
    facts: ClusterFacts, counts: Mapping[str, int], firsts: Mapping[str, int], why: str
) -> Iterator[FindingRow]:
    yield from about(
        "topic",
        counts,
        "{stuck} of topic {name} in cluster {cluster} {wait} to be reassigned {why} "
        "({which}{name}-{first}).",
        cluster=lambda _: facts.cluster,
        stuck=lambda topic: counted(counts[topic], "partition"),
        wait=lambda topic: "waits" if counts[topic] == 1 else "wait",
        why=lambda _: why,
        which=lambda topic: "the first is " if counts[topic] > 1 else "",
        first=firsts.get,
    )


REASSIGNMENT_STUCK = ClusterFinding(
    name="reassignment-stuck",
    tells="a reassignment never ends",
    measure="partitions of the topic that wait",
    advice="It waits for ever, and Kafka refuses other reassignments meanwhile: bring the broker "
    "back, or cancel with kafka-reassign-partitions --cancel, as has to be done before a rollback.",
    find=reassignment_stuck,
    needs=(ALL_GROUPS,),
    warning=1,
)


def _have(counts: Mapping[str, int]) -> Callable[[str], str]:
    return lambda name: "has" if counts[name] == 1 else "have"
