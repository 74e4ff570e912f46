"""Lag that isn't spread as the work is, commits that stand still, and impossible ones."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from optimizer.figures import figure
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.lags import Beyond, Stuck, sum_of
from spark.audit.text import percent, sentence
from spark.text import counted


def lag_on_few_partitions(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics of which few partitions have most of a group's lag: hot keys, or slow records."""
    if facts.most_lag < settings["least"] or facts.lags is None:
        return
    for topic, total in facts.lags.of_topic.items():
        if not total or total < settings["least"]:
            continue
        partitions, lags = facts.lags.in_topic(topic)
        if len(lags) >= settings["partitions"]:
            few = math.ceil(len(lags) * settings["share"])
            share = sum_of(np.sort(lags)[::-1][:few]) / float(total)
            worst = int(partitions[lags.argmax()])
            yield _on_few(facts, facts.plan.topics[topic], few, len(lags), share, total, worst)


def _on_few(
    facts: GroupFacts, topic: str, few: int, size: int, share: float, lag: int, worst: int
) -> FindingRow:
    return FindingRow(
        f"topic {topic}",
        share,
        lambda: sentence(
            "{few} of the {size} partitions of topic {topic} {have} {share} of the {lag} records "
            "that group {group} lags behind there; the worst is {topic}-{worst}.",
            few="One" if few == 1 else few,
            size=size,
            topic=topic,
            have="has" if few == 1 else "have",
            share=percent(share),
            lag=figure(lag),
            group=facts.group,
            worst=worst,
        ),
    )


LAG_ON_FEW_PARTITIONS = GroupFinding(
    name="lag-on-few-partitions",
    tells="few partitions of a topic have most of the lag",
    measure="share of the lag that is on those partitions",
    advice="Look for a hot key or a record that fails again and again; more members won't help, "
    "a better key will.",
    find=lag_on_few_partitions,
    needs=("lag",),
    info=0.6,
    warning=0.8,
    settings={"share": 0.1, "partitions": 10, "least": 10_000},
)


def lag_on_one_member(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Groups whose lag is mostly on the partitions of one of several members."""
    least = settings["least"]
    if facts.most_lag < least or facts.lags is None or facts.members < settings["members"]:
        return
    if facts.lags.total is None or facts.lags.total < least:
        return
    of_member = facts.lag_of_members
    total = sum(of_member.values())
    if not total or total < least or len(of_member) < settings["members"]:
        return
    lag, member = max((lag, member) for member, lag in of_member.items())
    share = lag / float(total)
    yield FindingRow(
        f"member {member}",
        share,
        lambda: sentence(
            "Member {member}, one of {members} with partitions in group {group}, has {share} of "
            "the group's lag: {lag} records of {total}.",
            member=member,
            members=len(of_member),
            group=facts.group,
            share=percent(share),
            lag=figure(lag),
            total=total,
        ),
    )


LAG_ON_ONE_MEMBER = GroupFinding(
    name="lag-on-one-member",
    tells="one member has most of the group's lag",
    measure="the member's share of the group's lag",
    advice="Look at that member's host and log: it is slower than the others, or its partitions "
    "are the busy ones.",
    find=lag_on_one_member,
    needs=("lag",),
    info=0.6,
    warning=0.8,
    settings={"members": 3, "least": 10_000},
)


def stalled_partitions(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions that are written and read by members who commit nothing, in two snapshots."""
    for stuck in facts.stuck:
        yield _stalled(facts, facts.plan.topics[stuck.topic], stuck)


def _stalled(facts: GroupFacts, topic: str, stuck: Stuck) -> FindingRow:
    return FindingRow(
        f"topic {topic}",
        stuck.partitions,
        lambda: sentence(
            "No commits of group {group} since the last snapshot on {stalled} of topic {topic}, "
            "while records keep arriving (worst: {topic}-{partition} at offset {offset}, {lag} "
            "behind{seat}).",
            group=facts.group,
            stalled=counted(stuck.partitions, "partition"),
            topic=topic,
            partition=stuck.worst,
            offset=stuck.committed,
            lag=counted(stuck.lag, "record"),
            seat=_seat(facts),
        ),
    )


def _seat(facts: GroupFacts) -> str:
    """Where the group's offsets are kept, if that is known."""
    return f"; {facts.seat.seat}" if facts.seat.seat else ""


STALLED_PARTITIONS = GroupFinding(
    name="stalled-partitions",
    tells="lag grows and commits don't move",
    measure="partitions of the topic that stand still",
    advice="Look in the owner's log at that offset: a record that always fails, or a thread that "
    "hangs.",
    find=stalled_partitions,
    needs=("lag", "previous", "previous.offsets"),
    critical=1,
)


def offset_beyond_end(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics of which a group has committed offsets that no record has yet.

    Those of an empty group count as well: consumers that come back go on from there.
    """
    for beyond in facts.beyond:
        yield _beyond(facts, beyond)


def _beyond(facts: GroupFacts, beyond: Beyond) -> FindingRow:
    mask = None not in (beyond.end, beyond.committed)
    return FindingRow(
        f"topic {beyond.topic}",
        beyond.partitions,
        lambda: sentence(
            "Group {group} has committed an offset beyond the end on {partitions} of topic "
            "{topic}: {topic}-{partition} is {beyond} beyond{where}{seat}.",
            group=facts.group,
            partitions=counted(beyond.partitions, "partition"),
            topic=beyond.topic,
            partition=beyond.first,
            beyond=counted(beyond.records, "record"),
            where=f" {beyond.end}, at {beyond.committed}" if mask else "",
            seat=_seat(facts),
        ),
    )


OFFSET_BEYOND_END = GroupFinding(
    name="offset-beyond-end",
    tells="a committed offset is beyond the end of its partition",
    measure="partitions of the topic with such an offset",
    advice="The topic was created again, its log was cut off (an unclean election), or offsets "
    "were set by hand: consumers go on where auto.offset.reset says, and may skip or repeat "
    "records. Set the group's offsets with kafka-consumer-groups --reset-offsets.",
    find=offset_beyond_end,
    needs=("lag",),
    critical=1,
)
