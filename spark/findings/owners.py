"""Partitions that nobody has, or somebody who shouldn't."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding
from spark.findings.words import counted, sentence
from spark.solved_row import ACTIONS

TAKEOVER, DROP = ACTIONS.index("takeover"), ACTIONS.index("drop")


def entries(planned: DataFrame) -> DataFrame:
    """A row a partition: topic, partition, target, previous and action, of groups with them all."""
    return planned.select(
        *("cluster", "group", "members", "names", "topics"),
        F.explode(F.arrays_zip("topic", "partition", "target", "previous", "action")).alias(
            "entry"
        ),
    ).select("cluster", "group", "members", "names", "topics", "entry.*")


def unread_partitions(planned: DataFrame, disputes: DataFrame) -> DataFrame:
    """Partitions of a topic that the group reads, and that nobody claims."""
    unowned = entries(planned.where(F.array_contains("previous", -1))).where(
        "previous = -1 and target >= 0"
    )
    unread = unowned.select(
        *("cluster", "group", "partition"),
        F.element_at("topics", F.col("topic") + 1).alias("topic"),
    ).join(disputes, ["cluster", "group", "topic", "partition"], "left_anti")
    return (
        unread.groupBy("cluster", "group", "topic")
        .agg(F.count("*").alias("measure"), F.min("partition").alias("first"))
        .select(
            "cluster",
            "group",
            sentence("topic {topic}").alias("subject"),
            "measure",
            sentence(
                "Nobody in group {group} reads {unread} of topic {topic}, to which it subscribes "
                "({which}partition {first}).",
                unread=counted("measure", "partition"),
                which=F.when(F.col("measure") > 1, "the first is ").otherwise(""),
            ).alias("sentence"),
        )
    )


UNREAD_PARTITIONS = Finding(
    name="unread-partitions",
    tells="nobody reads a partition although the group reads the topic",
    measure="partitions that nobody reads",
    advice="If the topic has just grown, members see it within metadata.max.age.ms; otherwise "
    "look for an error in the leader's assignor and let one member rejoin.",
    find=unread_partitions,
    reads=("planned", "disputes"),
    warning=1,
)


def _by_owner(rows: DataFrame, why: str) -> DataFrame:
    owner = F.element_at("names", F.col("previous") + 1)
    return (
        rows.select("cluster", "group", owner.alias("owner"))
        .groupBy("cluster", "group", "owner")
        .agg(F.count("*").alias("measure"))
        .select(
            "cluster",
            "group",
            sentence("member {owner}").alias("subject"),
            "measure",
            sentence(why, owned=counted("measure", "partition")).alias("sentence"),
        )
    )


def owner_gone(planned: DataFrame) -> DataFrame:
    """Partitions whose owner isn't among the group's members."""
    of_gone = entries(planned.where(F.array_max("previous") >= F.col("members")))
    return _by_owner(
        of_gone.where("previous >= members"),
        "Member {owner} owns {owned} of group {group} and isn't there any more.",
    )


OWNER_GONE = Finding(
    name="owner-gone",
    tells="a partition's owner isn't in the group any more",
    measure="partitions of that owner",
    advice="A rebalance hands them on: if none has come after session.timeout.ms, restart one "
    "member; set group.instance.id if it was only a restart.",
    find=owner_gone,
    reads=("planned",),
    warning=1,
)


def owner_not_subscribed(planned: DataFrame) -> DataFrame:
    """Partitions whose owner is there and doesn't subscribe to the topic."""
    unsubscribed = F.array_contains("action", F.lit(TAKEOVER).cast("tinyint")) | F.array_contains(
        "action", F.lit(DROP).cast("tinyint")
    )
    rows = entries(planned.where(unsubscribed)).where(F.col("action").isin(TAKEOVER, DROP))
    return _by_owner(
        rows.where("previous between 0 and members - 1"),
        "Member {owner} owns {owned} of topics to which it doesn't subscribe, in group {group}.",
    )


OWNER_NOT_SUBSCRIBED = Finding(
    name="owner-not-subscribed",
    tells="a partition's owner doesn't subscribe to the topic",
    measure="partitions of that owner",
    advice="Kafka's sticky assignor can do this after a subscription changed: let that member "
    "rejoin, and prefer uniform on the new protocol.",
    find=owner_not_subscribed,
    reads=("planned",),
    warning=1,
)
