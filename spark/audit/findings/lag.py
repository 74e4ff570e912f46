"""Lag that isn't spread as the work is, commits that stand still, and impossible ones."""

import math
from collections.abc import Iterator

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import GroupFinding, Measured, Thresholds, measured
from spark.audit.lags import sum_of


@GroupFinding(
    tells="few partitions of a topic have most of the lag",
    measure="share of the lag that is on those partitions",
    advice="Look for a hot key or a record that fails again and again; more members won't help, "
    "a better key will.",
    needs=("lag",),
    levels={"info": 0.6, "warning": 0.8},
    settings={
        "share": (0.1, "few are this share of a topic's partitions"),
        "partitions": (10, "topics with at least this many partitions"),
        "least": (10_000, "and at least this many records of lag"),
    },
    each="topic",
    template="{few} of the {size} partitions of topic {name} {have} {measure:percent} of the {lag} "
    "records that group {group} lags behind there; the worst is {name}-{worst:whole}.",
)
def lag_on_few_partitions(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
            yield measured(
                share,
                group.plan.topics[topic],
                few="One" if few == 1 else few,
                size=len(lags),
                have="has" if few == 1 else "have",
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
    settings={
        "members": (3, "groups in which at least this many members own partitions"),
        "least": (10_000, "and that lag at least this many records"),
    },
    each="member",
    template="Member {name}, one of {owners} with partitions in group {group}, has "
    "{measure:percent} of the group's lag: {lag} records of {total}.",
)
def lag_on_one_member(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
    yield measured(lag / float(total), member, owners=len(of_member), lag=lag, total=total)


@GroupFinding(
    tells="lag grows and commits don't move",
    measure="partitions of the topic that stand still",
    advice="Look in the owner's log at that offset: a record that always fails, or a thread that "
    "hangs.",
    needs=("lag", "previous", "previous.offsets"),
    levels={"critical": 1},
    each="topic",
    template="No commits of group {group} since the last snapshot on {measure:partition} of topic "
    "{name}, while records keep arriving (worst: {name}-{stuck.worst:whole} at offset "
    "{stuck.committed:whole}, {stuck.lag:record} behind{seat}).",
)
def stalled_partitions(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    for stuck in group.stuck:
        topic = group.plan.topics[stuck.topic]
        yield measured(stuck.partitions, topic, stuck=stuck, seat=_seat(group))


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
    each="topic",
    template="Group {group} has committed an offset beyond the end on {measure:partition} of topic "
    "{name}: {name}-{beyond.first:whole} is {beyond.records:record} beyond{where}{seat}.",
)
def offset_beyond_end(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Topics of which a group has committed offsets that no record has yet.

    Those of an empty group count as well: consumers that come back go on from there.
    """
    for beyond in group.outside_logs("beyond"):
        is_known = None not in (beyond.bound, beyond.committed)
        where = f" {beyond.bound}, at {beyond.committed}" if is_known else ""
        yield measured(
            beyond.partitions, beyond.topic, beyond=beyond, where=where, seat=_seat(group)
        )


@GroupFinding(
    tells="records were deleted before a group read them",
    measure="partitions of the topic on which the group's offset is before the start of the log",
    advice="Raise retention.ms (or retention.bytes) of the topic, or add members: consumers that "
    "start now go on where auto.offset.reset says.",
    needs=("lag", "start"),
    levels={"critical": 1},
    each="topic",
    template="Records were deleted before group {group} read them, on {measure:partition} of topic "
    "{name}: {deleted.records:record} of {name}-{deleted.first:whole}, which begins at "
    "{deleted.bound:whole}; the group's offset is {deleted.committed:whole}.",
)
def offset_before_start(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Topics whose next records for a group are deleted already; empty groups count as well."""
    for deleted in group.outside_logs("deleted"):
        yield measured(deleted.partitions, deleted.topic, deleted=deleted)
