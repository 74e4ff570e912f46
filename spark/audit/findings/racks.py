"""Reads that leave their rack."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import Finding, Setting, rows_found
from spark.audit.sql_text import counted, filled, sentence


def cross_rack_reads(led: DataFrame, settled: DataFrame, setting: Setting) -> DataFrame:
    """Reads from a leader in another rack, against the most that could be local at these loads.

    An upper bound by counting: in each rack no more than the partitions that are led there, and
    no more than its members carry now. Subscriptions may allow less.
    """
    sides = (
        led.where("leader_rack != ''")
        .join(settled.select("cluster", "group", "racks"), ["cluster", "group"])
        .selectExpr("*", "get(racks, owner) as rack")
        .where("rack != ''")
        .selectExpr(
            *("cluster", "`group`", "partitions", "rack = leader_rack as local"),
            "inline(array(struct(rack as rack, true as reads), "
            "struct(leader_rack as rack, false as reads)))",
        )
    )
    by_rack = sides.groupBy("cluster", "group", "rack").agg(
        F.expr("sum(if(reads, partitions, 0))").alias("reads"),
        F.expr("sum(if(reads, 0, partitions))").alias("led"),
        F.expr("sum(if(reads and local, partitions, 0))").alias("local"),
    )
    by_group = by_rack.groupBy("cluster", "group").agg(
        F.expr("sum(reads)").alias("reads"),
        F.expr("sum(reads - local)").alias("across"),
        F.expr("sum(least(reads, led)) - sum(local)").alias("avoidable"),
    )
    return rows_found(
        by_group.where(f"avoidable >= {setting('least')}"),
        subject=filled("group {group}"),
        measure="avoidable / nullif(reads, 0)",
        sentence=sentence(
            "{across} of {reads} of group {group} are read across racks; up to {avoidable} of them "
            "could be local without a change of loads.",
            reads=counted("reads", "partition"),
        ),
    )


CROSS_RACK_READS = Finding(
    name="cross-rack-reads",
    tells="reads cross racks that an equally balanced assignment would keep local",
    measure="avoidable reads across racks ÷ all reads of members whose rack is known, at most",
    advice="Set replica.selector.class on the brokers so that members read in their own rack, or "
    "use an assignment that knows racks.",
    find=cross_rack_reads,
    reads=("led", "settled"),
    needs=("members.rack", "partitions.leader_rack"),
    info=0.25,
    settings={"least": 4},
)
