"""Who coordinates a group, and where its offsets are kept."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, functions as F

from spark.fleet import GROUP_KEYS
from spark.groups.seats import OFFSETS_TOPIC


def coordinators(groups: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    """For each of these groups (cluster, group) what a snapshot's tables tell of its coordinator.

    Adds `offsets_partition` and its leader, `offsets_leader`, both null where the snapshot doesn't
    have them; `coordinator`, the broker that the source named, or else that leader, and then
    `inferred`; and `seat`, that in words, as the end of a sentence, null where nothing is known.
    """
    kept_in = tables["partitions"].where(F.col("topic") == OFFSETS_TOPIC)
    of_cluster = kept_in.groupBy("cluster").agg(F.expr("count(*)").alias("n"))
    led = kept_in.where("leader >= 0").selectExpr(
        "cluster", "partition as offsets_partition", "leader as offsets_leader"
    )
    placed = (
        groups.join(F.broadcast(of_cluster), "cluster", "left")
        .selectExpr(
            *("cluster", "`group`"),
            f"cast({coordinating_partition('`group`', 'n')} as int) as offsets_partition",
        )
        .join(F.broadcast(led), ["cluster", "offsets_partition"], "left")
    )
    result = placed.join(_coordinators_by_source(tables), list(GROUP_KEYS), "left").selectExpr(
        *("cluster", "`group`", "offsets_partition", "offsets_leader", "stated"),
        "coalesce(stated, offsets_leader) as coordinator",
        "stated is null and offsets_leader is not null as inferred",
    )
    return result.withColumn("seat", F.expr(_SEAT)).drop("stated")


def _coordinators_by_source(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The coordinators that the source named; none in a snapshot without table groups."""
    if "groups" not in tables:
        nobody = tables["members"].select(*GROUP_KEYS).limit(0)
        return nobody.withColumn("stated", F.lit(None).cast("int"))
    groups = tables["groups"].where("coordinator >= 0")
    return groups.groupBy(*GROUP_KEYS).agg(F.min("coordinator").alias("stated"))


_SEAT = f"""
case when offsets_partition is null then concat('broker ', stated, ' coordinates it')
else concat(
    'its offsets are in {OFFSETS_TOPIC}-', offsets_partition,
    case when offsets_leader is null then ', which has no leader'
    else concat(', led by broker ', offsets_leader) end,
    case when stated is null and offsets_leader is null then ''
    when stated is null then ' (its coordinator, as inferred from its name)'
    when stated = offsets_leader then ', its coordinator'
    else concat('; broker ', stated, ' coordinates it') end
) end
"""


def string_hash(text: str) -> str:
    """String.hashCode of an SQL text's value, as an unsigned number of 32 bits.

    That is s[0]·31^(n-1) + … + s[n-1] over UTF-16 code units.
    """
    units = f"split(regexp_replace(hex(encode({text}, 'UTF-16BE')), '(.{{4}})', '$1 '), ' ')"
    return (
        f"aggregate(filter({units}, unit -> unit != ''), 0L, "
        "(value, unit) -> (value * 31 + cast(conv(unit, 16, 10) as bigint)) % 4294967296)"
    )


def coordinating_partition(group: str, partitions: str) -> str:
    """The partition of __consumer_offsets whose leader coordinates a group.

    Kafka's Utils.abs of the name's hash, which is 0 for Integer.MIN_VALUE, modulo the topic's
    partitions (GroupMetadataManager.partitionFor).
    """
    # an array of one hash: a name for what is used thrice
    return (
        f"transform(array({string_hash(group)}), value -> "
        "if(value = 2147483648, 0, least(value, 4294967296 - value)))"
        f"[0] % {partitions}"
    )
