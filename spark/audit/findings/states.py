"""Groups that stay in a state in which nobody reads, or that lose what they haven't read."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import Facts, PastFinding, Settings, rows_found
from spark.audit.text import decimal, sentence


def stuck_rebalance(unsettled: DataFrame, settings: Settings) -> DataFrame:
    """Groups that each of the last snapshots saw in a rebalance."""
    return rows_found(unsettled, "snapshots", "snapshots", "state", "hours")


def describe_stuck_rebalance(facts: Facts, settings: Settings) -> str:
    return sentence(
        "Group {group} is in {state}, and was in a rebalance in each of the last {snapshots} "
        "snapshots, for {hours} hours.",
        group=facts["group"],
        state=facts["state"],
        snapshots=facts["snapshots"],
        hours=decimal(facts["hours"]),
    )


STUCK_REBALANCE = PastFinding(
    name="stuck-rebalance",
    tells="a group doesn't get out of a rebalance",
    measure="snapshots running in which it was in a rebalance",
    advice="PreparingRebalance waits for members to join, CompletingRebalance for the leader's "
    "assignment: look for a member that processes longer than max.poll.interval.ms or joins "
    "again and again, and at the leader's log.",
    find=stuck_rebalance,
    describe=describe_stuck_rebalance,
    reads=("unsettled",),
    needs=("history",),
    warning=2,
    critical=4,
)


def records_expire(aged: DataFrame, settings: Settings) -> DataFrame:
    """Groups, with members or without, that read what their topic is about to delete."""
    return rows_found(aged, "share", "topic", "partition", "seconds", "kept", "at_least")


def describe_records_expire(facts: Facts, settings: Settings) -> str:
    return sentence(
        "Group {group} has yet to read records of {topic}-{partition} that are {some}{hours} hours "
        "old, and the topic keeps them for {kept} hours.",
        group=facts["group"],
        topic=facts["topic"],
        partition=facts["partition"],
        some="at least " if facts["at_least"] else "",
        hours=decimal(facts["seconds"] / 3600),
        kept=decimal(facts["kept"] / 3600),
    )


RECORDS_EXPIRE = PastFinding(
    name="records-expire",
    tells="records may be deleted before a group has read them",
    measure="age of what the group reads next ÷ the topic's retention.ms",
    advice="Start members, add some, or raise retention.ms of the topic before they are gone: then "
    "the group goes on where auto.offset.reset says.",
    find=records_expire,
    describe=describe_records_expire,
    reads=("aged",),
    needs=("history.offsets", "configs"),
    warning=0.5,
    critical=0.9,
)
