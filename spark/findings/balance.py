"""Groups whose load is uneven."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding, Setting
from spark.findings.words import counted, decimal, sentence


def unbalanced(planned: DataFrame, setting: Setting) -> DataFrame:
    """Most loaded member against that of the best assignment."""
    excess = F.col("found_max_load") - F.col("max_load")
    return planned.where((F.col("max_load") > 0) & (excess >= setting("least"))).select(
        "cluster",
        "group",
        sentence("group {group}").alias("subject"),
        (F.col("found_max_load") / F.col("max_load")).alias("measure"),
        sentence(
            "The most loaded member of group {group} has {found}; the best assignment gives nobody "
            "more than {max_load}, and {moved} would have to move for it.",
            found=counted("found_max_load", "partition"),
            moved=counted("moves", "partition"),
        ).alias("sentence"),
    )


UNBALANCED = Finding(
    name="unbalanced",
    tells="a member has more partitions than it would have to have",
    measure="partitions of the most loaded member ÷ those in the best assignment",
    advice="Let the group use cooperative-sticky, or uniform on the new protocol; "
    "`evenfleet plan` shows the best assignment.",
    find=unbalanced,
    reads=("planned",),
    info=1.1,
    warning=1.25,
    critical=2.0,
    settings={"least": 2},
)


def range_skew(subscribed: DataFrame, setting: Setting) -> DataFrame:
    """What Range gives its first member, of the topics that all members read (KIP-54's reason).

    Range deals each topic anew, ⌈partitions ÷ members⌉ to the first members of them all.
    """
    members = F.size("member_ids")
    shared = F.filter(
        F.arrays_zip("topic_sizes", "subscriber_counts"),
        lambda topic: (topic.topic_sizes > 0) & (topic.subscriber_counts == members),
    )
    dealt = subscribed.where("strategy = 'range' and size(member_ids) > 1").select(
        "cluster", "group", members.alias("members"), shared.topic_sizes.alias("sizes")
    )
    zero = F.lit(0).cast("long")
    first = F.aggregate(
        "sizes", zero, lambda sum_, size: sum_ + F.ceil(size / F.col("members")).cast("long")
    )
    last = F.aggregate(
        "sizes", zero, lambda sum_, size: sum_ + F.floor(size / F.col("members")).cast("long")
    )
    mean = F.aggregate("sizes", zero, lambda sum_, size: sum_ + size) / F.col("members")
    skewed = (
        dealt.where(F.size("sizes") >= setting("topics"))
        .withColumns({"first": first, "last": last, "mean": mean})
        .where(F.col("first") - F.ceil("mean") >= setting("least"))
    )
    return skewed.select(
        "cluster",
        "group",
        sentence("group {group}").alias("subject"),
        (F.col("first") / F.col("mean")).alias("measure"),
        sentence(
            "Range deals each of the {topics} topics of group {group} anew, beginning with the "
            "same members: the first gets {first} of their partitions, the last {last}, the mean "
            "is {mean}.",
            topics=F.size("sizes"),
            mean=decimal(F.col("mean")),
        ).alias("sentence"),
    )


RANGE_SKEW = Finding(
    name="range-skew",
    tells="Range over many topics gives the same first members one more of each",
    measure="partitions that Range gives its first member ÷ the mean",
    advice="Change partition.assignment.strategy to cooperative-sticky, in two rolling restarts: "
    "first beside range, then without it.",
    find=range_skew,
    reads=("subscribed",),
    needs=("groups.strategy",),
    info=1.1,
    warning=1.25,
    settings={"topics": 3, "least": 2},
)


def eager_rebalances(owning: DataFrame, setting: Setting) -> DataFrame:
    """Partitions that stop when a group of an eager strategy rebalances: all (KIP-429)."""
    classic = ~F.forall("member_ids", lambda member: F.length(member) == 22)
    eager = owning.where(F.col("strategy").isin("range", "roundrobin", "sticky") & classic)
    owned = F.size(F.filter("previous", lambda owner: owner >= 0))
    return (
        eager.withColumn("owned", owned)
        .where(F.col("members") >= setting("members"))
        .select(
            "cluster",
            "group",
            sentence("group {group}").alias("subject"),
            F.col("owned").alias("measure"),
            sentence(
                "All {owned} partitions of group {group} stop at each rebalance of its {members} "
                "members: {strategy} is an eager strategy."
            ).alias("sentence"),
        )
    )


EAGER_REBALANCES = Finding(
    name="eager-rebalances",
    tells="a large group uses a strategy under which everything stops at each rebalance",
    measure="partitions that stop at each rebalance",
    advice="Change to cooperative-sticky, in two rolling restarts, or to the new protocol "
    "(group.protocol=consumer): then only what moves stops.",
    find=eager_rebalances,
    reads=("owning",),
    needs=("groups.strategy",),
    info=200,
    warning=1000,
    settings={"members": 2},
)
