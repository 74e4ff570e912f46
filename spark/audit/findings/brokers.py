"""Work that a single broker carries."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import Finding, Setting, rows_found
from spark.audit.sql_text import decimal, sentence


def one_leader(led: DataFrame, planned: DataFrame) -> DataFrame:
    """Members all of whose partitions are led by one broker."""
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
    named = planned.select("cluster", "group", "names")
    return rows_found(
        of_member.join(named, ["cluster", "group"]),
        subject=sentence("member {member}", member="get(names, owner)"),
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
    reads=("led", "planned"),
    needs=("partitions.leader",),
    info=4,
)


def coordinator_load(coordinators: DataFrame, setting: Setting) -> DataFrame:
    """Brokers that coordinate more of a cluster's groups than their share."""
    of_broker = coordinators.groupBy("cluster", "broker").agg(F.expr("sum(groups)").alias("groups"))
    of_cluster = of_broker.groupBy("cluster").agg(
        F.expr("sum(groups)").alias("all"),
        F.expr("count(*)").alias("brokers"),
    )
    return rows_found(
        of_broker.join(of_cluster, "cluster")
        .where(f"groups > 0 and groups >= {setting('least')} and brokers > 1")
        .selectExpr("*", "null as `group`", "all / brokers as mean"),
        subject=sentence("broker {broker}"),
        measure="groups / nullif(mean, 0)",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} coordinates {groups} of its {all} groups; the "
            "mean of its {brokers} brokers is {mean}.",
            mean=decimal("mean"),
        ),
    )


COORDINATOR_LOAD = Finding(
    name="coordinator-load",
    tells="a broker coordinates groups out of proportion",
    measure="groups that the broker coordinates ÷ the mean of the brokers that coordinate any",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    find=coordinator_load,
    reads=("coordinators",),
    needs=("__consumer_offsets",),
    info=1.5,
    warning=2.0,
    settings={"least": 50},
)
