"""Work that a single broker carries."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import ALL_GROUPS, Finding, Setting, rows_found
from spark.audit.sql_text import decimal, filled, sentence


def one_leader(led: DataFrame, planned: DataFrame, brokers: DataFrame) -> DataFrame:
    """Members all of whose partitions are led by one broker, where there are others."""
    of_member = (
        led.groupBy("cluster", "group", "owner")
        .agg(
            F.expr("sum(partitions)").alias("owned"),
            F.expr("min(leader)").alias("leader"),
            F.expr(
                "min(leader) >= 0 and min(leader) = max(leader) and count_if(leader is null) = 0"
            ).alias("by_one"),
        )
        .where("by_one")
    )
    several = of_member.join(F.broadcast(brokers.where("brokers > 1")), "cluster", "left_semi")
    named = planned.select("cluster", "group", "names")
    return rows_found(
        several.join(named, ["cluster", "group"]),
        subject=filled("member {member}", member="get(names, owner)"),
        measure="owned",
        sentence=sentence(
            "All {owned} partitions of member {member} of group {group} are led by broker "
            "{leader}.",
            member="get(names, owner)",
        ),
    )


ONE_LEADER = Finding(
    name="one-leader",
    tells="all partitions of a member are led by one broker",
    measure="partitions of the member",
    advice="One broker's trouble is all of this member's: a number of members that shares no "
    "factor with the number of brokers spreads them.",
    find=one_leader,
    reads=("led", "planned", "brokers"),
    needs=("partitions.leader",),
    info=4,
)


def coordinator_load(coordinators: DataFrame, setting: Setting) -> DataFrame:
    """Brokers that coordinate more of a cluster's load than their share.

    A group can't be shared: who coordinates a heavy one isn't told more than what comes on top.
    """
    of_broker = coordinators.where(
        f"cluster_brokers > 1 and load > 0 and load >= {setting('least')}"
    ).selectExpr("*", "cluster_load / cluster_brokers as mean", "null as `group`")
    return rows_found(
        of_broker,
        subject=filled("broker {broker}"),
        measure="load / greatest(mean, heaviest.load)",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} coordinates {groups} of its {cluster_groups} "
            "groups with {load} of {cluster_load} members × partitions; the mean of its "
            "{cluster_brokers} brokers is {mean}. Most has group {heaviest} with {most}: {seat}.",
            mean=decimal("mean"),
            heaviest="heaviest.`group`",
            most="heaviest.load",
            seat="heaviest.seat",
        ),
    )


COORDINATOR_LOAD = Finding(
    name="coordinator-load",
    tells="a broker coordinates groups out of proportion",
    measure="Σ members × partitions of the groups that the broker coordinates ÷ the mean of the "
    "cluster's brokers, or ÷ that of its heaviest group if that is more",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    find=coordinator_load,
    reads=("coordinators",),
    needs=("coordinators", ALL_GROUPS),
    info=1.5,
    warning=3.0,
    settings={"least": 1000},
)
