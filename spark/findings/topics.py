"""Topics that are spread badly over a group's members, or don't fit each other."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding, Setting
from spark.findings.words import sentence


def topic_on_one_member(reads: DataFrame, subscribed: DataFrame, setting: Setting) -> DataFrame:
    """Topics of which one member owns more than half while several subscribe to them.

    Who has more than half is in the middle of the sorted owners.
    """
    size = F.size("owners")
    sorted_owners = reads.withColumn("owners", F.sort_array("owners"))
    owner = F.element_at("owners", F.floor(size / 2).cast("int") + 1)
    first = F.array_position("owners", owner)
    last = size - F.array_position(F.reverse("owners"), owner) + 1
    heavy = (
        sorted_owners.where((size >= setting("partitions")) & (owner >= 0))
        .select(
            *("cluster", "group", "topic", size.alias("size"), owner.alias("owner")),
            (last - first + 1).alias("owned"),
        )
        .where(F.col("owned") * 2 > F.col("size"))
    )
    readers = F.element_at(
        "subscriber_counts", F.array_position("topics", F.col("topic")).cast("int")
    )
    return (
        heavy.join(subscribed, ["cluster", "group"])
        .where(F.array_contains("topics", F.col("topic")) & (F.col("owner") < F.size("member_ids")))
        .withColumn("readers", readers)
        .where(F.col("readers") >= setting("members"))
        .select(
            "cluster",
            "group",
            sentence("topic {topic}").alias("subject"),
            (F.col("owned") / F.col("size")).alias("measure"),
            sentence(
                "Member {member} of group {group} has {owned} of the {size} partitions of topic "
                "{topic}, to which {readers} members subscribe.",
                member=F.element_at("member_ids", F.col("owner") + 1),
            ).alias("sentence"),
        )
    )


TOPIC_ON_ONE_MEMBER = Finding(
    name="topic-on-one-member",
    tells="one member holds most of a topic that several read",
    measure="the member's share of the topic's partitions",
    advice="Loads may be even by count and uneven by work, if this topic is the busy one: let "
    "the group use roundrobin or cooperative-sticky from a fresh start.",
    find=topic_on_one_member,
    reads=("reads", "subscribed"),
    info=0.6,
    settings={"partitions": 8, "members": 3},
    lowest=0.5,
)


def unequal_topics(joined: DataFrame) -> DataFrame:
    """Topics that a group joins by partition number, with different numbers of partitions."""
    most, least = F.array_max("sizes"), F.array_min("sizes")
    spelled = F.array_join(
        F.zip_with("topics", "sizes", lambda topic, size: F.concat(topic, F.lit(": "), size)), ", "
    )
    return joined.where(most > least).select(
        "cluster",
        "group",
        F.concat(F.lit("topics "), F.array_join("topics", ", ")).alias("subject"),
        (most - least).alias("measure"),
        sentence(
            "Group {group} joins topics by partition number, and their numbers of partitions "
            "differ ({spelled}): the same key is on different partitions.",
            spelled=spelled,
        ).alias("sentence"),
    )


UNEQUAL_TOPICS = Finding(
    name="unequal-topics",
    tells="topics that a group joins by partition number differ in their partitions",
    measure="difference between the largest and the smallest number of partitions",
    advice="Give the topics equal numbers of partitions: write the smaller one's records to a "
    "new topic of that size.",
    find=unequal_topics,
    reads=("joined",),
    needs=("copartitioned",),
    critical=1,
)
