"""Partitions whose replicas or leaders aren't where they should be."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding, Setting
from spark.findings.words import counted, percent, sentence


def under_replicated(partitions: DataFrame) -> DataFrame:
    """Brokers whose replicas aren't all in sync."""
    behind = partitions.select(
        *("cluster", "topic", "partition"),
        F.explode(F.array_except("replicas", "isr")).alias("broker"),
    )
    return (
        behind.groupBy("cluster", "broker")
        .agg(F.count("*").alias("measure"), F.min(F.struct("topic", "partition")).alias("first"))
        .select(
            "cluster",
            F.lit(None).alias("group"),
            sentence("broker {broker}").alias("subject"),
            "measure",
            sentence(
                "Broker {broker} of cluster {cluster} is out of sync with {behind}, such as "
                "partition {partition} of topic {topic}.",
                behind=counted("measure", "partition"),
                topic=F.col("first.topic"),
                partition=F.col("first.partition"),
            ).alias("sentence"),
        )
    )


UNDER_REPLICATED = Finding(
    name="under-replicated",
    tells="replicas are out of sync",
    measure="partitions of which the broker's replica is not in sync",
    advice="See whether the broker is up, and its disks and network keep pace; the next failure "
    "may leave these partitions without a leader.",
    find=under_replicated,
    reads=("partitions",),
    needs=("partitions.replicas", "partitions.isr"),
    warning=1,
)


def leaderless(partitions: DataFrame) -> DataFrame:
    """Topics with partitions that have no leader, in clusters that tell of leaders at all."""
    led = F.coalesce(F.col("leader") >= 0, F.lit(False))
    of_topic = partitions.groupBy("cluster", "topic").agg(
        F.count_if(~led).alias("measure"),
        F.count("*").alias("size"),
        F.min(F.when(~led, F.col("partition"))).alias("first"),
    )
    telling = partitions.where(led).select("cluster").distinct()
    return (
        of_topic.where("measure > 0")
        .join(telling, "cluster", "left_semi")
        .select(
            "cluster",
            F.lit(None).alias("group"),
            sentence("topic {topic}").alias("subject"),
            "measure",
            sentence(
                "{measure} of {size} of topic {topic} in cluster {cluster} {have} no leader "
                "({which}partition {first}): nobody can read or write there.",
                size=counted("size", "partition"),
                have=F.when(F.col("measure") == 1, "has").otherwise("have"),
                which=F.when(F.col("measure") > 1, "the first is ").otherwise(""),
            ).alias("sentence"),
        )
    )


LEADERLESS = Finding(
    name="leaderless",
    tells="partitions have no leader",
    measure="partitions of the topic without a leader",
    advice="Bring back a broker that has a replica in sync; an unclean election would lose "
    "records.",
    find=leaderless,
    reads=("partitions",),
    needs=("partitions.leader",),
    critical=1,
)


def not_preferred_leader(partitions: DataFrame, setting: Setting) -> DataFrame:
    """Brokers that don't lead the partitions of which they are the first replica."""
    preferred = F.get("replicas", F.lit(0))
    away = F.count_if(F.col("leader") != preferred)
    return (
        partitions.where("leader >= 0")
        .groupBy("cluster", preferred.alias("broker"))
        .agg(away.alias("away"), F.count("*").alias("all"))
        .where(F.col("broker").isNotNull() & (F.col("away") >= setting("least")))
        .withColumn("group", F.lit(None).cast("string"))
        .select(
            "cluster",
            "group",
            sentence("broker {broker}").alias("subject"),
            (F.col("away") / F.col("all")).alias("measure"),
            sentence(
                "Broker {broker} of cluster {cluster} doesn't lead {away} ({share}) of the {all} "
                "partitions of which it is the preferred leader.",
                share=percent(F.col("away") / F.col("all")),
            ).alias("sentence"),
        )
    )


NOT_PREFERRED_LEADER = Finding(
    name="not-preferred-leader",
    tells="partitions are led away from their preferred replica",
    measure="share of the broker's preferred partitions that another leads",
    advice="When the broker is back and in sync, run kafka-leader-election --election-type "
    "preferred.",
    find=not_preferred_leader,
    reads=("partitions",),
    needs=("partitions.leader", "partitions.replicas"),
    info=0.1,
    warning=0.5,
    settings={"least": 5},
)
