"""Partitions that several members claim, or members of an older generation."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import Finding, rows_found
from spark.audit.sql_text import counted, filled, sentence


def claimed_twice(disputes: DataFrame) -> DataFrame:
    """Partitions that two members of one generation claim: the group gives them to nobody."""
    of_topic = disputes.where("size(claimants) > 1").groupBy("cluster", "group", "topic")
    return rows_found(
        of_topic.agg(
            F.expr("count(*)").alias("claimed"),
            F.expr("min(struct(partition, claimants))").alias("first"),
        ),
        subject=filled("topic {topic}"),
        measure="claimed",
        sentence=sentence(
            "{claimed} of topic {topic} {are} claimed by two members of one generation in group "
            "{group}: {topic}-{partition} by {one} and {other}.",
            claimed=counted("claimed", "partition"),
            are="if(claimed = 1, 'is', 'are')",
            partition="first.partition",
            one="first.claimants[0]",
            other="first.claimants[1]",
        ),
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
    of_member = stale.groupBy("cluster", "group", "member_id")
    return rows_found(
        of_member.agg(
            F.expr("count(*)").alias("claimed"),
            F.expr("min(generation)").alias("old"),
            F.expr("max(newest)").alias("newest"),
        ),
        subject=filled("member {member_id}"),
        measure="claimed",
        sentence=sentence(
            "Member {member_id} claims {claimed} by generation {old} while group {group} is at "
            "generation {newest}.",
            claimed=counted("claimed", "partition"),
        ),
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
