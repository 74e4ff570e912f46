"""Partitions that several members claim, or members of an older generation."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding
from spark.findings.words import counted, sentence


def claimed_twice(disputes: DataFrame) -> DataFrame:
    """Partitions that two members of one generation claim: the group gives them to nobody."""
    return (
        disputes.where("peers > 1")
        .groupBy("cluster", "group", "topic")
        .agg(
            F.count("*").alias("measure"),
            F.min(F.struct("partition", "claimants")).alias("first"),
        )
        .select(
            "cluster",
            "group",
            sentence("topic {topic}").alias("subject"),
            "measure",
            sentence(
                "{claimed} of topic {topic} claimed by two members of one generation in group "
                "{group}: partition {partition} by {one} and {other}.",
                claimed=F.concat(
                    counted("measure", "partition"),
                    F.when(F.col("measure") == 1, " is").otherwise(" are"),
                ),
                partition=F.col("first.partition"),
                one=F.get("first.claimants", F.lit(0)),
                other=F.get("first.claimants", F.lit(1)),
            ).alias("sentence"),
        )
    )


CLAIMED_TWICE = Finding(
    name="claimed-twice",
    tells="two members of one generation own the same partition",
    measure="partitions of the topic that are claimed twice",
    advice="Both may process the same records: restart one of the two members, and look in its "
    "log for a rebalance that it missed.",
    find=claimed_twice,
    reads=("disputes",),
    critical=1,
)


def stale_claims(stale: DataFrame) -> DataFrame:
    """Partitions that a present member claims by a generation which is over."""
    return (
        stale.groupBy("cluster", "group", "member_id")
        .agg(
            F.count("*").alias("measure"),
            F.min("generation").alias("old"),
            F.first("newest").alias("newest"),
        )
        .select(
            "cluster",
            "group",
            sentence("member {member_id}").alias("subject"),
            "measure",
            sentence(
                "Member {member_id} claims {claimed} by generation {old} while group {group} is "
                "at generation {newest}.",
                claimed=counted("measure", "partition"),
            ).alias("sentence"),
        )
    )


STALE_CLAIMS = Finding(
    name="stale-claims",
    tells="a member owns partitions by an older generation than the group's newest",
    measure="partitions that the member claims by that generation",
    advice="The member has missed a rebalance: see whether it still polls, and restart it if it "
    "doesn't rejoin by itself.",
    find=stale_claims,
    reads=("stale",),
    needs=("generation",),
    warning=1,
)
