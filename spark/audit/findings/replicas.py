"""Partitions whose replicas or leaders aren't where they should be."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F

from spark.audit.finding import ALL_GROUPS, FleetFinding, Settings, rows_found
from spark.audit.sql_expressions import counted, filled, percent, sentence
from spark.fleet import IS_CONNECTOR


def under_replicated(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Brokers whose replicas aren't all in sync."""
    behind = partitions.selectExpr(
        "cluster", "topic", "partition", "explode(array_except(replicas, isr)) as broker"
    )
    of_broker = behind.groupBy("cluster", "broker").agg(
        F.expr("count(*)").alias("behind"), F.expr("min(struct(topic, partition))").alias("first")
    )
    return rows_found(
        of_broker,
        subject=filled("broker {broker}"),
        measure="behind",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} is out of sync with {behind}, such as "
            "{topic}-{partition}.",
            behind=counted("behind", "partition"),
            topic="first.topic",
            partition="first.partition",
        ),
    )


UNDER_REPLICATED = FleetFinding(
    name="under-replicated",
    tells="replicas are out of sync",
    measure="partitions of which the broker's replica is not in sync",
    advice="See whether the broker is up, and its disks and network keep pace; the next failure "
    "may leave these partitions without a leader.",
    find=under_replicated,
    reads=("partitions",),
    only_with="replicas != isr and size(array_except(replicas, isr)) > 0",
    needs=("partitions.replicas", "partitions.isr", ALL_GROUPS),
    warning=1,
)


def leaderless(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Topics with partitions that have no leader, in clusters that tell of leaders at all.

    Tasks of connectors, which stand among partitions, never have one.
    """
    of_topic = (
        partitions.where(f"not ({IS_CONNECTOR})")
        .groupBy("cluster", "topic")
        .agg(
            F.expr("count_if(leader is null or leader < 0)").alias("without"),
            F.expr("count(*)").alias("size"),
            F.expr("min(if(leader is null or leader < 0, partition, null))").alias("first"),
        )
    )
    telling = partitions.where("leader >= 0").select("cluster").distinct()
    return rows_found(
        of_topic.where("without > 0").join(F.broadcast(telling), "cluster", "left_semi"),
        subject=filled("topic {topic}"),
        measure="without",
        sentence=sentence(
            "{without} of {size} of topic {topic} in cluster {cluster} {have} no leader "
            "({which}{topic}-{first}): nobody can read or write there.",
            size=counted("size", "partition"),
            have="if(without = 1, 'has', 'have')",
            which="if(without > 1, 'the first is ', '')",
        ),
    )


LEADERLESS = FleetFinding(
    name="leaderless",
    tells="partitions have no leader",
    measure="partitions of the topic without a leader",
    advice="Bring back a broker that has a replica in sync; an unclean election would lose "
    "records.",
    find=leaderless,
    reads=("partitions",),
    only_with=f"(leader is null or leader < 0) and not ({IS_CONNECTOR})",
    needs=("partitions.leader", ALL_GROUPS),
    critical=1,
)


def not_preferred_leader(partitions: DataFrame, settings: Settings) -> DataFrame:
    """Brokers that don't lead the partitions of which they are the first replica."""
    preferred = partitions.where("leader >= 0 and size(replicas) > 0").selectExpr(
        "cluster", "get(replicas, 0) as broker", "leader"
    )
    of_broker = preferred.groupBy("cluster", "broker").agg(
        F.expr("count_if(leader != broker)").alias("away"), F.expr("count(*)").alias("all")
    )
    return rows_found(
        of_broker.where(f"away >= {settings['least']!r}D"),
        subject=filled("broker {broker}"),
        measure="away / all",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} doesn't lead {away} ({share}) of the {all} "
            "partitions of which it is the preferred leader.",
            share=percent("away / all"),
        ),
    )


NOT_PREFERRED_LEADER = FleetFinding(
    name="not-preferred-leader",
    tells="partitions are led away from their preferred replica",
    measure="share of the broker's preferred partitions that another leads",
    advice="When the broker is back and in sync, run kafka-leader-election --election-type "
    "preferred.",
    find=not_preferred_leader,
    reads=("partitions",),
    only_with="leader >= 0 and leader != get(replicas, 0)",
    needs=("partitions.leader", "partitions.replicas", ALL_GROUPS),
    info=0.1,
    warning=0.5,
    settings={"least": 5},
)
