"""Work that a single broker carries."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding, Setting
from spark.findings.words import decimal, sentence


def one_leader(led: DataFrame, subscribed: DataFrame) -> DataFrame:
    """Members all of whose partitions are led by one broker."""
    of_member = led.groupBy("cluster", "group", "owner").agg(
        F.sum("partitions").alias("measure"),
        F.min("leader").alias("leader"),
        F.max("leader").alias("another"),
        F.bool_or(F.col("leader").isNull()).alias("leaderless"),
    )
    return (
        of_member.where("leader = another and not leaderless")
        .join(subscribed.select("cluster", "group", "member_ids"), ["cluster", "group"])
        .where(F.col("owner") < F.size("member_ids"))
        .withColumn("member", F.element_at("member_ids", F.col("owner") + 1))
        .select(
            "cluster",
            "group",
            sentence("member {member}").alias("subject"),
            "measure",
            sentence(
                "All {measure} partitions of member {member} of group {group} are led by broker "
                "{leader}."
            ).alias("sentence"),
        )
    )


ONE_LEADER = Finding(
    name="one-leader",
    tells="all partitions of a member are led by one broker",
    measure="partitions of the member",
    advice="One broker's trouble is all of this member's: a number of members that shares no "
    "factor with the number of brokers spreads them.",
    find=one_leader,
    reads=("led", "subscribed"),
    needs=("partitions.leader",),
    info=4,
)


def coordinator_load(coordinators: DataFrame, setting: Setting) -> DataFrame:
    """Brokers that coordinate more of a cluster's groups than their share."""
    of_broker = coordinators.groupBy("cluster", "broker").agg(F.sum("groups").alias("groups"))
    of_cluster = coordinators.groupBy("cluster").agg(
        F.sum("groups").alias("all"), F.count_distinct("broker").alias("brokers")
    )
    mean = F.col("all") / F.col("brokers")
    return (
        of_broker.join(of_cluster, "cluster")
        .withColumn("group", F.lit(None).cast("string"))
        .where((F.col("groups") >= setting("least")) & (F.col("brokers") > 1))
        .select(
            "cluster",
            "group",
            sentence("broker {broker}").alias("subject"),
            (F.col("groups") / mean).alias("measure"),
            sentence(
                "Broker {broker} of cluster {cluster} coordinates {groups} of its {all} groups; "
                "the mean of its {brokers} brokers is {mean}.",
                mean=decimal(mean),
            ).alias("sentence"),
        )
    )


COORDINATOR_LOAD = Finding(
    name="coordinator-load",
    tells="a broker coordinates groups out of proportion",
    measure="groups that the broker coordinates ÷ the mean of the cluster's brokers",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    find=coordinator_load,
    reads=("coordinators",),
    needs=("__consumer_offsets",),
    info=1.5,
    warning=2.0,
    settings={"least": 50},
)
