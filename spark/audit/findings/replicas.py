"""Replicas and leaders that are out of sync, or badly spread; `reassign` mends most."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from spark.audit.cluster_facts import BEARS, ClusterFacts
from spark.audit.finding import ClusterFinding, Measured, Thresholds, measured, measured_each

REASSIGN = "Plan it with evenfleet reassign."

SKEWED = (
    "Broker {name} of cluster {cluster} has {count} {what}; the mean of {brokers} brokers{among} "
    "is {mean:decimal}."
)


@ClusterFinding(
    tells="replicas are out of sync",
    measure="partitions of which the broker's replica is not in sync",
    advice="See whether the broker is up, and its disks and network keep pace; the next failure "
    "may leave these partitions without a leader.",
    needs=("partitions.replicas", "partitions.isr"),
    levels={"warning": 1},
    each="broker",
    template="Broker {name} of cluster {cluster} is out of sync with {measure:partition}, such as "
    "{first_behind[topic]}-{first_behind[partition]:whole}.",
)
def under_replicated(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    yield from measured_each(cluster, cluster.behind)


@ClusterFinding(
    tells="partitions have no leader",
    measure="partitions of the topic without a leader",
    advice="Bring back a broker that has a replica in sync; an unclean election would lose "
    "records.",
    needs=("partitions.leader",),
    levels={"critical": 1},
    each="topic",
    template="{measure} of {partitions:partition} of topic {name} in cluster {cluster} "
    "{measure:has|have} no leader ({measure:|the first is }{name}-{first_leaderless:whole}): "
    "clients can't read or write there.",
)
def leaderless(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    if cluster.led:
        yield from measured_each(cluster, cluster.leaderless)


@ClusterFinding(
    tells="producers with acks=all are refused now",
    measure="partitions of the topic with a leader and too few replicas in sync",
    advice="Bring the missing brokers back, or see why their replicas don't catch up; until then a "
    "lower min.insync.replicas lets producers write, with fewer copies.",
    needs=("partitions.leader", "partitions.isr", "partitions.min_insync_replicas"),
    levels={"critical": 1},
    each="topic",
    template="{measure} of {partitions:partition} of topic {name} in cluster {cluster} "
    "{measure:takes|take} no records with acks=all: fewer replicas are in sync than "
    "min.insync.replicas says ({measure:|the first is }{name}-{first_refusing}).",
)
def writes_refused(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    yield from measured_each(cluster, cluster.refusing)


@ClusterFinding(
    tells="partitions are led by another broker than the preferred one",
    measure="share of the broker's preferred partitions that another leads",
    advice="When the broker is back and in sync, run kafka-leader-election --election-type "
    "preferred.",
    needs=("partitions.leader", "partitions.replicas"),
    levels={"info": 0.1, "warning": 0.5},
    settings={"least": (5, "brokers with at least this many such partitions")},
    each="broker",
    template="Broker {name} of cluster {cluster} doesn't lead {away} ({measure:percent}) of the "
    "{preferred} partitions of which it is the preferred leader.",
)
def not_preferred_leader(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    shares = {
        broker: away / cluster.preferred[broker]
        for broker, away in cluster.away.items()
        if away >= thresholds["least"]
    }
    yield from measured_each(cluster, shares)


@ClusterFinding(
    tells="partitions have one replica only",
    measure="partitions of the topic with one replica",
    advice="When its broker fails, clients can't read or write there: raise the replication "
    f"factor. {REASSIGN}",
    needs=("partitions.replicas",),
    levels={"info": 1},
    each="topic",
    template="{measure} of {with_replicas:partition} of topic {name} in cluster {cluster} "
    "{measure:has|have} one replica only.",
)
def single_replica(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    if len(cluster.replicas) > 1:
        yield from measured_each(cluster, cluster.single)


@ClusterFinding(
    tells="a topic has no more replicas than have to be in sync",
    measure="partitions of the topic with as many replicas as min.insync.replicas, or fewer",
    advice="With one broker down, producers with acks=all are refused: raise the replication "
    f"factor. {REASSIGN}",
    needs=("partitions.replicas", "partitions.min_insync_replicas"),
    levels={"warning": 1},
    each="topic",
    template="{measure:partition} of topic {name} in cluster {cluster} {measure:has|have} no more "
    "replicas than have to be in sync: {fewest}, with min.insync.replicas {minimum}.",
)
def replicas_at_minimum(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Topics that need all replicas in sync, so that one broker down stops their producers.

    Those whose minimum is 1 aren't meant: they have one replica, which is a finding of its own.
    """
    yield from measured_each(cluster, cluster.at_minimum)


@ClusterFinding(
    tells="a broker has replicas out of proportion",
    measure="replicas of the broker ÷ the mean of the cluster's brokers that have any, or of its "
    "rack's where racks have unequal numbers of brokers",
    advice=f"Its disks and network carry more than the others'. {REASSIGN}",
    needs=("partitions.replicas",),
    levels={"info": 1.25, "warning": 1.5},
    settings={"least": (10, "at least this many replicas more than the mean")},
    each="broker",
    template=SKEWED,
)
def replica_skew(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Brokers with more replicas than their share.

    That is the mean of their rack where racks have unequal numbers of brokers: a small rack's
    brokers have to carry more, as replicas of a partition are spread over racks.
    """
    sizes = Counter(cluster.rack.values())
    unequal = len({*sizes.values()}) > 1
    among = {broker: f" of rack {rack}" for broker, rack in cluster.rack.items() if unequal}
    yield from _above_mean(cluster, cluster.replicas, "replicas", among, thresholds)


@ClusterFinding(
    tells="a broker leads partitions out of proportion",
    measure="partitions that the broker leads ÷ the mean of the cluster's brokers with replicas",
    advice="Consumers and producers all go to the leader. Elect preferred leaders, or make these "
    f"even: {REASSIGN}",
    needs=("partitions.leader", "partitions.replicas"),
    levels={"info": 1.5, "warning": 2.0},
    settings={"least": (10, "at least this many leaders more than the mean")},
    each="broker",
    template=SKEWED,
)
def leader_skew(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Brokers that lead more partitions than their share; all that have replicas could lead."""
    led = {broker: cluster.led[broker] for broker in cluster.replicas}
    yield from _above_mean(cluster, led, "leaders", {}, thresholds)


def _above_mean(
    cluster: ClusterFacts,
    counts: Mapping[int, int],
    what: str,
    among: Mapping[int, str],
    thresholds: Thresholds,
) -> Iterator[Measured]:
    """Brokers whose count is above the mean by the setting `least` or more.

    The mean is of the cluster's brokers with the same text in `among`, which says which those are.
    """
    part = {broker: among.get(broker, "") for broker in counts}
    of_part: dict[str, list[int]] = {}
    for broker, count in counts.items():
        of_part.setdefault(part[broker], []).append(count)
    means = {name: sum(loads) / len(loads) for name, loads in of_part.items() if len(loads) > 1}
    skews = {}
    for broker, count in counts.items():
        mean = means.get(part[broker], 0)
        if mean and count - mean >= thresholds["least"]:
            skews[broker] = count / mean
    yield from measured_each(
        cluster,
        skews,
        count=counts,
        what=what,
        brokers={broker: len(of_part[part[broker]]) for broker in skews},
        among=part,
        mean={broker: means[part[broker]] for broker in skews},
    )


@ClusterFinding(
    tells="a broker has no replicas",
    measure="replicas that would be its share",
    advice=f"Kafka gives a new broker new topics only. {REASSIGN}",
    needs=("partitions.replicas", "brokers"),
    levels={"info": 1},
    each="broker",
    template="Broker {name} of cluster {cluster} has no replica, and {brokers} others have "
    "{replicas}.",
)
def empty_broker(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    replicas, brokers = cluster.replicas.total(), len(cluster.replicas)
    empty = sorted(cluster.listed - cluster.replicas.keys()) if brokers else []
    shares = dict.fromkeys(empty, replicas / (brokers + 1))
    yield from measured_each(cluster, shares, brokers=brokers, replicas=replicas)


@ClusterFinding(
    tells="one broker alone is in sync with partitions of several replicas",
    measure="partitions with which the broker alone is in sync",
    advice="Don't restart it before the other replicas have caught up.",
    needs=("partitions.replicas", "partitions.isr"),
    levels={"warning": 1},
    each="broker",
    template="Broker {name} of cluster {cluster} alone is in sync with {measure:partition} of "
    "several replicas, such as {first_alone[topic]}-{first_alone[partition]:whole}.",
)
def offline_if_broker_fails(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    yield from measured_each(cluster, cluster.alone)


@ClusterFinding(
    tells="all replicas of a partition are in one rack, and there are others",
    measure="partitions of several replicas that the rack has all of",
    advice=f"When the rack fails, clients can't read or write there. {REASSIGN}",
    needs=("partitions.replicas",),
    levels={"info": 1},
    each="rack",
    template="Rack {name} of cluster {cluster} has all replicas of {measure:partition}, such as "
    "{first_held[topic]}-{first_held[partition]:whole}.",
)
def offline_if_rack_fails(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    if len(cluster.racks) > 1:
        yield from measured_each(cluster, cluster.held)


@ClusterFinding(
    tells="a reassignment never ends",
    measure="partitions of the topic that wait",
    advice="It waits for ever, and Kafka refuses other reassignments meanwhile: bring the broker "
    "back, or cancel with kafka-reassign-partitions --cancel, as has to be done before a rollback.",
    levels={"warning": 1},
    each="topic",
    template="{measure:partition} of topic {name} in cluster {cluster} {measure:waits|wait} to be "
    "reassigned {why} ({measure:|the first is }{name}-{first:whole}).",
)
def reassignment_stuck(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Topics with partitions whose reassignment never ends.

    They have no leader to copy from, or a replica is added and removed at once: so it is after a
    rollback of a move that was still running, seen with Kafka 4.3.1.
    """
    for counts, firsts, why in (
        (cluster.stuck, cluster.first_stuck, "without a leader to copy from"),
        (cluster.reversed, cluster.first_reversed, "with a replica both added and removed"),
    ):
        yield from measured_each(cluster, counts, why=why, first=firsts)


@ClusterFinding(
    tells="the next broker or rack that fails stops producers of some topic",
    measure="brokers, or racks, that may fail before a partition can't be written with acks=all",
    advice="Raise replication factors above min.insync.replicas, over more racks: plan that with "
    "evenfleet reassign. The audit's table failures has each topic.",
    needs=("partitions.replicas",),
    levels={"info": 1},
    below=True,
    each="all",
    template="Cluster {cluster} bears {brokers[0]:failed broker} until a partition can't be "
    "written, {brokers[1]} until one can't be read, {brokers[2]} until one is lost{racks:whole}. "
    "{weak} of {topics:topic} {topics:bears|bear} none, such as {weakest}.",
)
def bears_no_failure(cluster: ClusterFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """A cluster of several brokers: how many may fail, and racks, and its weakest topic."""
    if len(cluster.replicas) < 2 or not cluster.failures:
        return
    by_brokers, by_racks = BEARS[:3], BEARS[3:]
    has_racks = len({*cluster.rack.values()}) > 1
    racks = _least(cluster, by_racks) if has_racks else []
    written = (by_brokers[0], by_racks[0]) if has_racks else by_brokers[:1]
    writes = {
        row["topic"]: min(row[name] for name in written if row[name] is not None)
        for row in cluster.failures
    }
    yield measured(
        min(writes.values()),
        "topics",
        brokers=_least(cluster, by_brokers),
        racks="; failed racks: {}, {} and {}".format(*racks) if racks else "",
        weak=sum(number < 1 for number in writes.values()),
        topics=len(writes),
        weakest=min(writes, key=lambda topic: (writes[topic], topic)),
    )


def _least(cluster: ClusterFacts, names: Sequence[str]) -> list[int]:
    """Of all topics, for each of these columns; none where racks aren't known."""
    columns = [[row[name] for row in cluster.failures if row[name] is not None] for name in names]
    return [max(0, min(column)) for column in columns if column]
