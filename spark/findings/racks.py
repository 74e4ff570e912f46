"""Reads that leave their rack."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding, Setting
from spark.findings.words import counted, sentence


def cross_rack_reads(led: DataFrame, subscribed: DataFrame, setting: Setting) -> DataFrame:
    """Reads from a leader in another rack, against the most that could be local at these loads.

    An upper bound by counting: in each rack no more than the partitions that are led there, and
    no more than its members carry now. Subscriptions may allow less.
    """
    rack = F.element_at("racks", F.col("owner") + 1)
    known = (
        led.where("leader_rack is not null")
        .join(subscribed.select("cluster", "group", "racks"), ["cluster", "group"])
        .where(F.col("owner") < F.size("racks"))
        .withColumn("rack", rack)
        .where("rack is not null and rack != ''")
        .select("cluster", "group", "rack", "leader_rack", "partitions")
        .groupBy("cluster", "group", "rack", "leader_rack")
        .agg(F.sum("partitions").alias("partitions"))
    )
    sides = known.select(
        *("cluster", "group", "partitions"),
        (F.col("rack") == F.col("leader_rack")).alias("local"),
        F.explode(
            F.array(
                F.struct(F.col("rack"), F.lit(True).alias("reads")),
                F.struct(F.col("leader_rack").alias("rack"), F.lit(False).alias("reads")),
            )
        ).alias("side"),
    )

    def sum_where(condition: str) -> Column:
        return F.sum(F.when(F.expr(condition), F.col("partitions")).otherwise(0))

    by_rack = sides.groupBy("cluster", "group", "side.rack").agg(
        sum_where("side.reads").alias("reads"),
        sum_where("not side.reads").alias("led"),
        sum_where("side.reads and local").alias("local"),
    )
    by_group = by_rack.groupBy("cluster", "group").agg(
        F.sum("reads").alias("reads"),
        F.sum("local").alias("local"),
        F.sum(F.least("reads", "led")).alias("possible"),
    )
    return by_group.where(F.col("possible") - F.col("local") >= setting("least")).select(
        "cluster",
        "group",
        sentence("group {group}").alias("subject"),
        ((F.col("possible") - F.col("local")) / F.col("reads")).alias("measure"),
        sentence(
            "{across} of {reads} of group {group} are read across racks; up to {avoidable} of them "
            "could be local without a change of loads.",
            across=F.col("reads") - F.col("local"),
            reads=counted("reads", "partition"),
            avoidable=F.col("possible") - F.col("local"),
        ).alias("sentence"),
    )


CROSS_RACK_READS = Finding(
    name="cross-rack-reads",
    tells="reads cross racks that an equally balanced assignment would keep local",
    measure="avoidable reads across racks ÷ all reads of members whose rack is known, at most",
    advice="Set replica.selector.class on the brokers so that members read in their own rack, or "
    "use an assignment that knows racks.",
    find=cross_rack_reads,
    reads=("led", "subscribed"),
    needs=("members.rack", "partitions.leader_rack"),
    info=0.25,
    settings={"least": 4},
)
