"""Replicas and leaders that are badly spread over brokers and racks; `reassign` mends most."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F

from spark.audit.finding import ALL_GROUPS, FleetFinding, Settings, rows_found
from spark.audit.sql_expressions import counted, decimal, filled, sentence

REASSIGN = "Plan it with evenfleet reassign."

FIRST = "min(struct(topic, partition)) as first"
"""SQL text: one of those that are told, as an example."""


def single_replica(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Topics with partitions of one replica, in clusters where there could be another."""
    several = _brokers_with_replicas(partitions).groupBy("cluster").count().where("count > 1")
    of_topic = (
        partitions.where("replicas is not null")
        .groupBy("cluster", "topic")
        .agg(
            F.expr("count_if(size(replicas) = 1)").alias("single"),
            F.expr("count(*)").alias("size"),
        )
    )
    return rows_found(
        of_topic.where("single > 0").join(F.broadcast(several), "cluster", "left_semi"),
        subject=filled("topic {topic}"),
        measure="single",
        sentence=sentence(
            "{single} of {size} of topic {topic} in cluster {cluster} {have} one replica only.",
            size=counted("size", "partition"),
            have="if(single = 1, 'has', 'have')",
        ),
    )


SINGLE_REPLICA = FleetFinding(
    name="single-replica",
    tells="partitions have one replica only",
    measure="partitions of the topic with one replica",
    advice="When its broker fails nobody can read or write there: raise the replication factor. "
    f"{REASSIGN}",
    find=single_replica,
    reads=("partitions",),
    only_with="size(replicas) = 1",
    needs=("partitions.replicas", ALL_GROUPS),
    info=1,
)


def replicas_at_minimum(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Topics that need all replicas in sync, so that one broker down stops their producers.

    Those whose minimum is 1 aren't meant: they have one replica, which is a finding of its own.
    """
    of_topic = (
        partitions.where(AT_MINIMUM)
        .groupBy("cluster", "topic")
        .agg(
            F.expr("count(*)").alias("held"),
            F.expr("max(min_insync_replicas)").alias("least"),
            F.expr("min(size(replicas))").alias("replicas"),
        )
    )
    return rows_found(
        of_topic,
        subject=filled("topic {topic}"),
        measure="held",
        sentence=sentence(
            "{held} of topic {topic} in cluster {cluster} {have} no more replicas than have to be "
            "in sync: {replicas}, with min.insync.replicas {least}.",
            held=counted("held", "partition"),
            have="if(held = 1, 'has', 'have')",
        ),
    )


AT_MINIMUM = "min_insync_replicas > 1 and size(replicas) between 1 and min_insync_replicas"

REPLICAS_AT_MINIMUM = FleetFinding(
    name="replicas-at-minimum",
    tells="a topic has no more replicas than have to be in sync",
    measure="partitions of the topic with as many replicas as min.insync.replicas, or fewer",
    advice="With one broker down, who writes with acks=all is refused: raise the replication "
    f"factor. {REASSIGN}",
    find=replicas_at_minimum,
    reads=("partitions",),
    only_with=AT_MINIMUM,
    needs=("partitions.replicas", "partitions.min_insync_replicas", ALL_GROUPS),
    warning=1,
)


def replica_skew(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Brokers with more replicas than their share.

    That is the mean of their rack where racks have unequal numbers of brokers: a small rack's
    brokers have to carry more, as replicas of a partition are spread over racks.
    """
    entries = partitions.where("size(replica_racks) = size(replicas)")
    each = entries.selectExpr("cluster", "inline(arrays_zip(replicas, replica_racks))")
    rack_of = each.groupBy("cluster", F.expr("replicas as broker")).agg(
        F.expr("max(replica_racks) as rack")
    )
    sizes = rack_of.where("rack is not null").groupBy("cluster", "rack").count()
    unequal = sizes.groupBy("cluster").agg(F.expr("min(count) < max(count) as unequal"))
    of_broker = (
        _brokers_with_replicas(partitions)
        .join(rack_of, ["cluster", "broker"], "left")
        .join(F.broadcast(unequal.where("unequal")), "cluster", "left")
        .selectExpr("cluster", "broker", "count", f"if(unequal, {OF_RACK}, '') as among")
    )
    return _skewed(of_broker, "replicas", settings)


OF_RACK = "coalesce(concat(' of rack ', rack), '')"

REPLICA_SKEW = FleetFinding(
    name="replica-skew",
    tells="a broker has replicas out of proportion",
    measure="replicas of the broker ÷ the mean of the cluster's brokers that have any, or of its "
    "rack's where racks have unequal numbers of brokers",
    advice=f"Its disks and network carry more than the others'. {REASSIGN}",
    find=replica_skew,
    reads=("partitions",),
    needs=("partitions.replicas", ALL_GROUPS),
    info=1.25,
    warning=1.5,
    settings={"least": 10},
)


def leader_skew(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Brokers that lead more partitions than their share; all that have replicas could lead."""
    led = partitions.where("leader >= 0").groupBy("cluster", F.expr("leader as broker")).count()
    every = _brokers_with_replicas(partitions).select("cluster", "broker")
    of_broker = every.join(led, ["cluster", "broker"], "left").selectExpr(
        "cluster", "broker", "coalesce(count, 0L) as count", "'' as among"
    )
    return _skewed(of_broker, "leaders", settings)


LEADER_SKEW = FleetFinding(
    name="leader-skew",
    tells="a broker leads partitions out of proportion",
    measure="partitions that the broker leads ÷ the mean of the cluster's brokers with replicas",
    advice="Consumers and producers all go to the leader. Elect preferred leaders, or make these "
    f"even: {REASSIGN}",
    find=leader_skew,
    reads=("partitions",),
    needs=("partitions.leader", "partitions.replicas", ALL_GROUPS),
    info=1.5,
    warning=2.0,
    settings={"least": 10},
)


def _brokers_with_replicas(partitions: DataFrame) -> DataFrame:
    """cluster, broker, count: how many replicas each has."""
    each = partitions.selectExpr("cluster", "explode(replicas) as broker")
    return each.groupBy("cluster", "broker").count()


def _skewed(of_broker: DataFrame, what: str, settings: Settings) -> DataFrame:
    """Brokers whose count is above the mean by the setting `least` or more.

    The mean is of the cluster's brokers with the same `among`: text that tells which, or "".
    """
    means = of_broker.groupBy("cluster", "among").agg(
        F.expr("avg(count)").alias("mean"), F.expr("count(*)").alias("brokers")
    )
    rows = of_broker.join(means.where("brokers > 1"), ["cluster", "among"])
    return rows_found(
        rows.where(f"mean > 0 and count - mean >= {settings['least']!r}D"),
        subject=filled("broker {broker}"),
        measure="count / mean",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} has {count} " + what + "; the mean of {brokers} "
            "brokers{among} is {mean}.",
            mean=decimal("mean"),
        ),
    )


def empty_broker(partitions: DataFrame, brokers: DataFrame, settings: Settings) -> DataFrame:
    """Brokers without a replica in clusters that have replicas."""
    having = _brokers_with_replicas(partitions)
    of_cluster = having.groupBy("cluster").agg(
        F.expr("sum(count)").alias("replicas"), F.expr("count(*)").alias("brokers")
    )
    without = brokers.select("cluster", "broker").join(having, ["cluster", "broker"], "left_anti")
    return rows_found(
        without.join(of_cluster, "cluster"),
        subject=filled("broker {broker}"),
        measure="replicas / (brokers + 1)",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} has no replica, and {brokers} others have "
            "{replicas}.",
        ),
    )


EMPTY_BROKER = FleetFinding(
    name="empty-broker",
    tells="a broker has no replicas",
    measure="replicas that would be its share",
    advice=f"Kafka gives a new broker new topics only. {REASSIGN}",
    find=empty_broker,
    reads=("partitions", "brokers"),
    needs=("partitions.replicas", "brokers", ALL_GROUPS),
    info=1,
)


def offline_if_broker_fails(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Brokers that alone are in sync with partitions of several replicas."""
    alone = partitions.where("size(replicas) > 1 and size(isr) = 1").selectExpr(
        "cluster", "isr[0] as broker", "topic", "partition"
    )
    of_broker = alone.groupBy("cluster", "broker").agg(
        F.expr("count(*)").alias("alone"), F.expr(FIRST)
    )
    return rows_found(
        of_broker,
        subject=filled("broker {broker}"),
        measure="alone",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} alone is in sync with {alone} of several "
            "replicas, such as {topic}-{partition}.",
            alone=counted("alone", "partition"),
            topic="first.topic",
            partition="first.partition",
        ),
    )


OFFLINE_IF_BROKER_FAILS = FleetFinding(
    name="offline-if-broker-fails",
    tells="one broker alone is in sync with partitions of several replicas",
    measure="partitions with which the broker alone is in sync",
    advice="Don't restart it before the other replicas have caught up.",
    find=offline_if_broker_fails,
    reads=("partitions",),
    only_with="size(replicas) > 1 and size(isr) = 1",
    needs=("partitions.replicas", "partitions.isr", ALL_GROUPS),
    warning=1,
)


def offline_if_rack_fails(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Racks that have all replicas of partitions of several, where there are other racks."""
    entries = partitions.where("size(replicas) > 1 and size(replica_racks) = size(replicas)")
    racks = entries.selectExpr("cluster", "explode(replica_racks) as rack").distinct()
    several = racks.groupBy("cluster").count().where("count > 1")
    of_rack = (
        entries.where("size(array_distinct(replica_racks)) = 1")
        .groupBy("cluster", F.expr("replica_racks[0] as rack"))
        .agg(
            F.expr("count(*)").alias("held"),
            F.expr(FIRST),
        )
    )
    return rows_found(
        of_rack.join(F.broadcast(several), "cluster", "left_semi"),
        subject=filled("rack {rack}"),
        measure="held",
        sentence=sentence(
            "Rack {rack} of cluster {cluster} has all replicas of {held}, such as "
            "{topic}-{partition}.",
            held=counted("held", "partition"),
            topic="first.topic",
            partition="first.partition",
        ),
    )


OFFLINE_IF_RACK_FAILS = FleetFinding(
    name="offline-if-rack-fails",
    tells="all replicas of a partition are in one rack, and there are others",
    measure="partitions of several replicas that the rack has all of",
    advice=f"When the rack fails, nobody can read or write there. {REASSIGN}",
    find=offline_if_rack_fails,
    reads=("partitions",),
    only_with="size(replicas) > 1 and size(array_distinct(replica_racks)) = 1",
    needs=("partitions.replicas", ALL_GROUPS),
    info=1,
)


def reassignment_stuck(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Topics with partitions whose reassignment never ends.

    They have no leader to copy from, or a replica is added and removed at once.
    """
    of_topic = (
        partitions.where(STUCK)
        .groupBy("cluster", "topic", F.expr(REVERSED).alias("reversed"))
        .agg(F.expr("count(*)").alias("stuck"), F.expr("min(partition)").alias("first"))
    )
    return rows_found(
        of_topic,
        subject=filled("topic {topic}"),
        measure="stuck",
        sentence=sentence(
            "{stuck} of topic {topic} in cluster {cluster} {wait} to be reassigned {why} "
            "({which}{topic}-{first}).",
            stuck=counted("stuck", "partition"),
            wait="if(stuck = 1, 'waits', 'wait')",
            why="if(reversed, 'with a replica both added and removed', "
            "'without a leader to copy from')",
            which="if(stuck > 1, 'the first is ', '')",
        ),
    )


LEADERLESS = "(leader is null or leader < 0) and size(adding_replicas) > 0"

REVERSED = "size(array_intersect(adding_replicas, removing_replicas)) > 0"
"""So it is after a rollback of a move that was still running; seen with Kafka 4.3.1."""

STUCK = f"({LEADERLESS}) or ({REVERSED})"

REASSIGNMENT_STUCK = FleetFinding(
    name="reassignment-stuck",
    tells="a reassignment never ends",
    measure="partitions of the topic that wait",
    advice="It waits for ever, and Kafka refuses other reassignments meanwhile: bring the broker "
    "back, or cancel with kafka-reassign-partitions --cancel, as has to be done before a rollback.",
    find=reassignment_stuck,
    reads=("partitions",),
    only_with=STUCK,
    needs=(ALL_GROUPS,),
    warning=1,
)
