"""Lag that isn't spread as the work is, commits that stand still, and impossible ones."""

import math
from collections.abc import Iterator

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Thresholds, about
from spark.audit.lags import sum_of


@GroupFinding(
    tells="few partitions of a topic have most of the lag",
    measure="share of the lag that is on those partitions",
    advice="Look for a hot key or a record that fails again and again; more members won't help, "
    "a better key will.",
    needs=("lag",),
    levels={"info": 0.6, "warning": 0.8},
    settings={"share": 0.1, "partitions": 10, "least": 10_000},
    meanings={
        "share": "few are this share of a topic's partitions",
        "partitions": "topics with at least this many partitions",
        "least": "and at least this many records of lag",
    },
)
def lag_on_few_partitions(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Topics of which few partitions have most of a group's lag: hot keys, or slow records."""
    if group.most_lag < thresholds["least"] or group.lags is None:
        return
    for topic, total in group.lags.of_topic.items():
        if not total or total < thresholds["least"]:
            continue
        partitions, lags = group.lags.in_topic(topic)
        if len(lags) >= thresholds["partitions"]:
            few = math.ceil(len(lags) * thresholds["share"])
            share = sum_of(np.sort(lags)[::-1][:few]) / float(total)
            topic_name = group.plan.topics[topic]
            yield about(
                group,
                share,
                "{few} of the {size} partitions of topic {topic} {have} {share:percent} of the "
                "{lag} records that group {group} lags behind there; the worst is "
                "{topic}-{worst:whole}.",
                f"topic {topic_name}",
                few="One" if few == 1 else few,
                size=len(lags),
                topic=topic_name,
                have="has" if few == 1 else "have",
                share=share,
                lag=total,
                worst=int(partitions[lags.argmax()]),
            )


@GroupFinding(
    tells="one member has most of the group's lag",
    measure="the member's share of the group's lag",
    advice="Look at that member's host and log: it is slower than the others, or its partitions "
    "are the busy ones.",
    needs=("lag",),
    levels={"info": 0.6, "warning": 0.8},
    settings={"members": 3, "least": 10_000},
    meanings={
        "members": "groups in which at least this many members own partitions",
        "least": "and that lag at least this many records",
    },
)
def lag_on_one_member(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    least = thresholds["least"]
    if group.most_lag < least or group.lags is None or group.members < thresholds["members"]:
        return
    if group.lags.total is None or group.lags.total < least:
        return
    of_member = group.lag_of_members
    total = sum(of_member.values())
    if not total or total < least or len(of_member) < thresholds["members"]:
        return
    lag, member = max((lag, member) for member, lag in of_member.items())
    share = lag / float(total)
    yield about(
        group,
        share,
        "Member {member}, one of {members} with partitions in group {group}, has {share:percent} "
        "of the group's lag: {lag} records of {total}.",
        f"member {member}",
        member=member,
        members=len(of_member),
        share=share,
        lag=lag,
        total=total,
    )


@GroupFinding(
    tells="lag grows and commits don't move",
    measure="partitions of the topic that stand still",
    advice="Look in the owner's log at that offset: a record that always fails, or a thread that "
    "hangs.",
    needs=("lag", "previous", "previous.offsets"),
    levels={"critical": 1},
)
def stalled_partitions(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    for stuck in group.stuck:
        topic = group.plan.topics[stuck.topic]
        yield about(
            group,
            stuck.partitions,
            "No commits of group {group} since the last snapshot on {stuck.partitions:partition} "
            "of topic {topic}, while records keep arriving (worst: {topic}-{stuck.worst:whole} at "
            "offset {stuck.committed:whole}, {stuck.lag:record} behind{seat}).",
            f"topic {topic}",
            topic=topic,
            stuck=stuck,
            seat=_seat(group),
        )


def _seat(group: GroupFacts) -> str:
    """Where the group's offsets are kept, if that is known."""
    return f"; {group.seat.seat}" if group.seat.seat else ""


@GroupFinding(
    tells="a committed offset is beyond the end of its partition",
    measure="partitions of the topic with such an offset",
    advice="The topic was created again, its log was cut off (an unclean election), or offsets "
    "were set by hand: consumers go on where auto.offset.reset says, and may skip or repeat "
    "records. Set the group's offsets with kafka-consumer-groups --reset-offsets.",
    needs=("lag",),
    levels={"critical": 1},
)
def offset_beyond_end(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Topics of which a group has committed offsets that no record has yet.

    Those of an empty group count as well: consumers that come back go on from there.
    """
    for beyond in group.outside_logs("beyond"):
        is_known = None not in (beyond.bound, beyond.committed)
        yield about(
            group,
            beyond.partitions,
            "Group {group} has committed an offset beyond the end on "
            "{beyond.partitions:partition} of topic {beyond.topic}: "
            "{beyond.topic}-{beyond.first:whole} is {beyond.records:record} beyond{where}{seat}.",
            f"topic {beyond.topic}",
            beyond=beyond,
            where=f" {beyond.bound}, at {beyond.committed}" if is_known else "",
            seat=_seat(group),
        )


@GroupFinding(
    tells="records were deleted before a group read them",
    measure="partitions of the topic on which the group's offset is before the start of the log",
    advice="Raise retention.ms (or retention.bytes) of the topic, or add members: consumers that "
    "start now go on where auto.offset.reset says.",
    needs=("lag", "start"),
    levels={"critical": 1},
)
def offset_before_start(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Topics whose next records for a group are deleted already; empty groups count as well."""
    for deleted in group.outside_logs("deleted"):
        yield about(
            group,
            deleted.partitions,
            "Records were deleted before group {group} read them, on "
            "{deleted.partitions:partition} of topic {deleted.topic}: "
            "{deleted.records:record} of {deleted.topic}-{deleted.first:whole}, which begins at "
            "{deleted.bound:whole}; the group's offset is {deleted.committed:whole}.",
            f"topic {deleted.topic}",
            deleted=deleted,
        )
