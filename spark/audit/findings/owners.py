"""Partitions that nobody has, or somebody who shouldn't."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import Finding, rows_found
from spark.audit.sql_text import counted, filled, sentence
from spark.solve import ACTIONS

TAKEOVER, DROP = ACTIONS.index("takeover"), ACTIONS.index("drop")


def entries(planned: DataFrame) -> DataFrame:
    """A row a partition: `at` (its topic's index), partition, target, previous and action."""
    return planned.selectExpr(
        *("cluster", "`group`", "members", "names", "topics"),
        "inline(arrays_zip(topic, partition, target, previous, action))",
    ).withColumnRenamed("topic", "at")


def unread_partitions(planned: DataFrame, disputes: DataFrame) -> DataFrame:
    """Partitions of a topic that the group reads, and that nobody claims."""
    unowned = entries(planned.where("array_contains(previous, -1)"))
    unread = (
        unowned.where("previous = -1 and target >= 0")
        .selectExpr("cluster", "`group`", "topics[at] as topic", "partition")
        .join(disputes, ["cluster", "group", "topic", "partition"], "left_anti")
        .groupBy("cluster", "group", "topic")
    )
    return rows_found(
        unread.agg(F.expr("count(*)").alias("unread"), F.expr("min(partition)").alias("first")),
        subject=filled("topic {topic}"),
        measure="unread",
        sentence=sentence(
            "Nobody in group {group} reads {unread} of topic {topic}, to which it subscribes "
            "({which}{topic}-{first}).",
            unread=counted("unread", "partition"),
            which="if(unread > 1, 'the first is ', '')",
        ),
    )


UNREAD_PARTITIONS = Finding(
    name="unread-partitions",
    tells="nobody reads a partition although the group reads the topic",
    measure="partitions that nobody reads",
    advice="If the topic has just grown, members see it within metadata.max.age.ms; otherwise "
    "look for an error in the leader's assignor and let one member rejoin.",
    advice_to_connect="Tasks of a worker that is gone wait scheduled.rebalance.max.delay.ms for "
    "it; if that is over, ask the REST interface for the connector's status.",
    find=unread_partitions,
    reads=("planned", "disputes"),
    warning=1,
)


def _by_owner(rows: DataFrame, why: str) -> DataFrame:
    owned = rows.selectExpr("cluster", "`group`", "get(names, previous) as owner")
    return rows_found(
        owned.groupBy("cluster", "group", "owner").count(),
        subject=filled("member {owner}"),
        measure="count",
        sentence=sentence(why, owned=counted("count", "partition")),
    )


def owner_gone(planned: DataFrame) -> DataFrame:
    """Partitions whose owner isn't among the group's members."""
    return _by_owner(
        entries(planned.where("array_max(previous) >= members")).where("previous >= members"),
        "Member {owner} owns {owned} of group {group} and isn't there any more.",
    )


OWNER_GONE = Finding(
    name="owner-gone",
    tells="a partition's owner isn't in the group any more",
    measure="partitions of that owner",
    advice="A rebalance hands them on: if none has come after session.timeout.ms, restart one "
    "member; set group.instance.id if it was only a restart.",
    advice_to_connect="Its tasks wait scheduled.rebalance.max.delay.ms for it, and are handed on "
    "then: restart another worker if they aren't.",
    find=owner_gone,
    reads=("planned",),
    warning=1,
)


def owner_not_subscribed(planned: DataFrame) -> DataFrame:
    """Partitions whose owner is there and doesn't subscribe to the topic."""
    unsubscribed = f"arrays_overlap(action, array({TAKEOVER}Y, {DROP}Y))"
    return _by_owner(
        entries(planned.where(unsubscribed)).where(
            f"action in ({TAKEOVER}, {DROP}) and previous between 0 and members - 1"
        ),
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
