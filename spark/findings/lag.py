"""Lag that isn't spread as the work is, and commits that stand still."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding, Setting
from spark.findings.words import counted, percent, sentence


def lag_on_few_partitions(lags: DataFrame, setting: Setting) -> DataFrame:
    """Topics of which few partitions have most of a group's lag: hot keys, or slow records."""
    few = F.ceil(F.size("lags") * setting("share")).cast("int")
    worst = F.slice(F.sort_array("lags", asc=False), 1, few)
    of_worst = F.aggregate(worst, F.lit(0).cast("long"), lambda sum_, lag: sum_ + lag)
    return (
        lags.where((F.col("lag") >= setting("least")) & (F.size("lags") >= setting("partitions")))
        .withColumns({"few": few, "of_worst": of_worst})
        .select(
            "cluster",
            "group",
            sentence("topic {topic}").alias("subject"),
            (F.col("of_worst") / F.col("lag")).alias("measure"),
            sentence(
                "{few} of the {size} partitions of topic {topic} have {share} of the {lag} records "
                "that group {group} lags behind there; the worst is partition {worst}.",
                few=F.when(F.col("few") == 1, F.lit("One")).otherwise(F.col("few").cast("string")),
                size=F.size("lags"),
                share=percent(F.col("of_worst") / F.col("lag")),
                worst=F.element_at(
                    "partitions", F.array_position("lags", F.array_max("lags")).cast("int")
                ),
            ).alias("sentence"),
        )
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


def lag_on_one_member(
    lags: DataFrame, reads: DataFrame, subscribed: DataFrame, setting: Setting
) -> DataFrame:
    """Groups whose lag is mostly on the partitions of one of several members."""
    group = ["cluster", "group"]
    late = (
        lags.groupBy(*group)
        .agg(F.sum("lag").alias("total"))
        .where(F.col("total") >= setting("least"))
    )
    owned = reads.select(
        *(*group, "topic"), F.explode(F.arrays_zip("partitions", "owners")).alias("entry")
    ).select(*group, "topic", F.col("entry.partitions").alias("partition"), "entry.owners")
    lag = F.get("lags", F.array_position("partitions", F.col("partition")).cast("int") - 1)
    of_member = (
        owned.join(lags.join(late, group, "left_semi"), [*group, "topic"])
        .where("owners >= 0")
        .groupBy(*group, "owners")
        .agg(F.sum(lag).alias("lag"))
    )
    return (
        of_member.groupBy(*group)
        .agg(
            F.sum("lag").alias("total"),
            F.count("*").alias("members"),
            F.max(F.struct("lag", "owners")).alias("worst"),
        )
        .where((F.col("members") >= setting("members")) & (F.col("total") >= setting("least")))
        .join(subscribed.select(*group, "member_ids"), group)
        .where(F.col("worst.owners") < F.size("member_ids"))
        .withColumn("member", F.element_at("member_ids", F.col("worst.owners") + 1))
        .select(
            *group,
            sentence("member {member}").alias("subject"),
            (F.col("worst.lag") / F.col("total")).alias("measure"),
            sentence(
                "Member {member}, one of {members} with partitions in group {group}, has {share} "
                "of the group's lag: {lag} records of {total}.",
                share=percent(F.col("worst.lag") / F.col("total")),
                lag=F.col("worst.lag"),
            ).alias("sentence"),
        )
    )


LAG_ON_ONE_MEMBER = Finding(
    name="lag-on-one-member",
    tells="one member has most of the group's lag",
    measure="the member's share of the group's lag",
    advice="Look at that member's host and log: it is slower than the others, or its partitions "
    "are the busy ones.",
    find=lag_on_one_member,
    reads=("lags", "reads", "subscribed"),
    needs=("lag",),
    info=0.6,
    warning=0.8,
    settings={"members": 3, "least": 10_000},
)


def stalled_partitions(commits: DataFrame) -> DataFrame:
    """Partitions that are written and read by members who commit nothing, in two snapshots."""
    return (
        commits.where("committed_offset = committed_before and end_offset > end_before")
        .groupBy("cluster", "group", "topic")
        .agg(
            F.count("*").alias("measure"),
            F.max(F.struct("lag", "partition", "committed_offset")).alias("worst"),
        )
        .select(
            "cluster",
            "group",
            sentence("topic {topic}").alias("subject"),
            "measure",
            sentence(
                "Group {group} has committed nothing since the snapshot before on {stalled} of "
                "topic {topic}, which are still written: partition {partition} stands at offset "
                "{offset}, {lag} records behind.",
                stalled=counted("measure", "partition"),
                partition=F.col("worst.partition"),
                offset=F.col("worst.committed_offset"),
                lag=F.col("worst.lag"),
            ).alias("sentence"),
        )
    )


STALLED_PARTITIONS = Finding(
    name="stalled-partitions",
    tells="lag grows and commits don't move",
    measure="partitions of the topic that stand still",
    advice="Look in the owner's log at that offset: a record that always fails, or a thread that "
    "hangs.",
    find=stalled_partitions,
    reads=("commits",),
    needs=("offsets", "previous", "previous.offsets"),
    critical=1,
)
