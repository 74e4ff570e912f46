"""Topics that are spread badly over a group's members, or don't fit each other."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import Finding, Setting, rows_found
from spark.audit.sql_text import filled, sentence
from spark.wording import shortened_in_sql


def topic_on_one_member(reads: DataFrame, settled: DataFrame, setting: Setting) -> DataFrame:
    """Topics of which one member owns more than half while several subscribe to them.

    Who has more than half is in the middle of the sorted owners.
    """
    heavy = (
        reads.where(f"size(owners) >= {setting('partitions')}")
        .selectExpr(
            *("cluster", "`group`", "topic", "members", "names", "sort_array(owners) as owners"),
            "size(owners) as size",
            "get(sort_array(owners), size(owners) div 2) as owner",
        )
        .where("owner between 0 and members - 1")
        .selectExpr(
            *("cluster", "`group`", "topic", "size", "get(names, owner) as member"),
            "size(owners) - array_position(reverse(owners), owner) "
            "- array_position(owners, owner) + 2 as owned",
        )
        .where("owned * 2 > size")
    )
    subscribers = settled.selectExpr(
        "cluster", "`group`", "inline(arrays_zip(topics, subscriber_counts)) as (topic, readers)"
    )
    return rows_found(
        heavy.join(subscribers, ["cluster", "group", "topic"]).where(
            f"readers >= {setting('members')}"
        ),
        subject=filled("topic {topic}"),
        measure="owned / nullif(size, 0)",
        sentence=sentence(
            "Member {member} of group {group} has {owned} of the {size} partitions of topic "
            "{topic}, to which {readers} members subscribe."
        ),
    )


TOPIC_ON_ONE_MEMBER = Finding(
    name="topic-on-one-member",
    tells="one member holds most of a topic that several read",
    measure="the member's share of the topic's partitions",
    advice="Loads may be even by count and uneven by work, if this topic is the busy one: plan "
    "the group with spread before moves, or let it use roundrobin from a fresh start.",
    advice_to_connect="Loads may be even by count and uneven by work, if this connector is the "
    "busy one: restart the worker, so that its tasks are dealt anew.",
    find=topic_on_one_member,
    reads=("reads", "settled"),
    info=0.6,
    settings={"partitions": 8, "members": 3},
    lowest=0.5,
)


def unequal_topics(joined: DataFrame) -> DataFrame:
    """Topics that a group joins by partition number, with different numbers of partitions."""
    return rows_found(
        joined.where("array_max(sizes) > array_min(sizes)"),
        subject="concat('topics ', array_join(topics, ', '))",
        measure="array_max(sizes) - array_min(sizes)",
        sentence=sentence(
            "Group {group} joins topics by partition number, and their numbers of partitions "
            "differ ({spelled}): the same key is on different partitions.",
            whole=["spelled"],
            spelled="array_join(zip_with(topics, sizes, "
            f"(topic, size) -> concat({shortened_in_sql('topic')}, ': ', size)), ', ')",
        ),
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
