"""Lag that isn't spread as the work is, commits that stand still, and impossible ones."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import Finding, Setting, rows_found
from spark.audit.sql_text import counted, filled, percent, sentence

GROUP = ["cluster", "group"]

SEAT = "coalesce(concat('; ', seat), '')"
"""Where the group's offsets are kept, if that is known."""


def lag_on_few_partitions(lags: DataFrame, setting: Setting) -> DataFrame:
    """Topics of which few partitions have most of a group's lag: hot keys, or slow records."""
    late = lags.where(
        f"lag > 0 and lag >= {setting('least')} and size(lags) >= {setting('partitions')}"
    )
    few = late.selectExpr("*", f"cast(ceil(size(lags) * {setting('share')}) as int) as few")
    share = (
        "aggregate(slice(sort_array(lags, false), 1, few), 0L, (total, one) -> total + one) "
        "/ nullif(lag, 0)"
    )
    return rows_found(
        few.selectExpr("*", f"{share} as share"),
        subject=filled("topic {topic}"),
        measure="share",
        sentence=sentence(
            "{few} of the {size} partitions of topic {topic} {have} {share} of the {lag} records "
            "that group {group} lags behind there; the worst is {topic}-{worst}.",
            few="if(few = 1, 'One', string(few))",
            size="size(lags)",
            have="if(few = 1, 'has', 'have')",
            share=percent("share"),
            worst="partitions[array_position(lags, array_max(lags)) - 1]",
        ),
    )


LAG_ON_FEW_PARTITIONS = Finding(
    name="lag-on-few-partitions",
    tells="few partitions of a topic have most of the lag",
    measure="share of the lag that is on those partitions",
    advice="Look for a hot key or a record that fails again and again; more members won't help, "
    "a better key will.",
    find=lag_on_few_partitions,
    reads=("lags",),
    needs=("lag",),
    info=0.6,
    warning=0.8,
    settings={"share": 0.1, "partitions": 10, "least": 10_000},
)


def lag_on_one_member(lags: DataFrame, reads: DataFrame, setting: Setting) -> DataFrame:
    """Groups whose lag is mostly on the partitions of one of several members."""
    late = lags.groupBy(*GROUP).agg(F.expr("try_sum(lag)").alias("total"))
    of_late = lags.join(late.where(f"total >= {setting('least')}"), GROUP, "left_semi")
    owned = reads.selectExpr(
        *("cluster", "`group`", "topic", "members", "names"),
        "inline(arrays_zip(partitions, owners)) as (number, owner)",
    ).where("owner between 0 and members - 1")
    of_member = (
        owned.join(of_late, [*GROUP, "topic"])
        .selectExpr(
            *("cluster", "`group`", "get(names, owner) as member"),
            "get(lags, cast(array_position(partitions, number) - 1 as int)) as lag",
        )
        .groupBy(*GROUP, "member")
        .agg(F.expr("coalesce(sum(lag), 0)").alias("lag"))
    )
    of_group = of_member.groupBy(*GROUP).agg(
        F.expr("sum(lag)").alias("total"),
        F.expr("count(*)").alias("members"),
        F.expr("max(struct(lag, member))").alias("worst"),
    )
    return rows_found(
        of_group.where(
            f"total > 0 and total >= {setting('least')} and members >= {setting('members')}"
        ),
        subject=filled("member {member}", member="worst.member"),
        measure="worst.lag / nullif(total, 0)",
        sentence=sentence(
            "Member {member}, one of {members} with partitions in group {group}, has {share} of "
            "the group's lag: {lag} records of {total}.",
            member="worst.member",
            share=percent("worst.lag / nullif(total, 0)"),
            lag="worst.lag",
        ),
    )


LAG_ON_ONE_MEMBER = Finding(
    name="lag-on-one-member",
    tells="one member has most of the group's lag",
    measure="the member's share of the group's lag",
    advice="Look at that member's host and log: it is slower than the others, or its partitions "
    "are the busy ones.",
    find=lag_on_one_member,
    reads=("lags", "reads"),
    needs=("lag",),
    info=0.6,
    warning=0.8,
    settings={"members": 3, "least": 10_000},
)


def stalled_partitions(stuck: DataFrame, seats: DataFrame) -> DataFrame:
    """Partitions that are written and read by members who commit nothing, in two snapshots."""
    of_topic = stuck.groupBy(*GROUP, "topic").agg(
        F.expr("count(*)").alias("stalled"),
        F.expr("max(struct(lag, partition, committed_offset))").alias("worst"),
    )
    return rows_found(
        of_topic.join(seats, GROUP, "left"),
        subject=filled("topic {topic}"),
        measure="stalled",
        sentence=sentence(
            "Group {group} has committed nothing since the snapshot before on {stalled} of topic "
            "{topic}, which {are} still written: {topic}-{partition} stands at offset {offset}, "
            "{lag} behind{seat}.",
            stalled=counted("stalled", "partition"),
            are="if(stalled = 1, 'is', 'are')",
            partition="worst.partition",
            offset="worst.committed_offset",
            lag=counted("worst.lag", "record"),
            seat=SEAT,
        ),
    )


STALLED_PARTITIONS = Finding(
    name="stalled-partitions",
    tells="lag grows and commits don't move",
    measure="partitions of the topic that stand still",
    advice="Look in the owner's log at that offset: a record that always fails, or a thread that "
    "hangs.",
    find=stalled_partitions,
    reads=("stuck", "seats"),
    needs=("lag", "previous", "previous.offsets"),
    critical=1,
)


def offset_beyond_end(beyond: DataFrame, seats: DataFrame) -> DataFrame:
    """Topics of which a group has committed offsets that no record has yet."""
    of_topic = beyond.groupBy(*GROUP, "topic").agg(
        F.expr("count(*)").alias("partitions"),
        F.expr("min(struct(partition, beyond, committed_offset, end_offset))").alias("first"),
    )
    return rows_found(
        of_topic.join(seats, GROUP, "left"),
        subject=filled("topic {topic}"),
        measure="partitions",
        sentence=sentence(
            "Group {group} has committed an offset beyond the end on {partitions} of topic "
            "{topic}: {topic}-{partition} is {beyond} beyond{where}{seat}.",
            partitions=counted("partitions", "partition"),
            partition="first.partition",
            beyond=counted("first.beyond", "record"),
            where="coalesce(concat(' ', first.end_offset, ', at ', first.committed_offset), '')",
            seat=SEAT,
        ),
    )


OFFSET_BEYOND_END = Finding(
    name="offset-beyond-end",
    tells="a committed offset is beyond the end of its partition",
    measure="partitions of the topic with such an offset",
    advice="The topic was made anew, its log was cut off (an unclean election), or offsets were "
    "set by hand: consumers go on where auto.offset.reset says, and may skip or repeat records. "
    "Set the group's offsets with kafka-consumer-groups --reset-offsets.",
    find=offset_beyond_end,
    reads=("beyond", "seats"),
    needs=("lag",),
    critical=1,
)
