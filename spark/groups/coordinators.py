"""Coordinators of groups and where offsets are kept: of one group, and of a whole fleet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyspark.sql import DataFrame, functions as F, types as t

from optimizer.strategies import string_hash
from spark.fleet import (
    GROUP_KEYS,
    OFFSETS_TOPIC,
    FleetFiles,
    FleetSnapshot,
    escape,
    escaped_rows,
    is_named,
    names_wanted,
)
from spark.groups.rows import (
    EncodedRow,
)


class OffsetsTopic(NamedTuple):
    """A cluster's `OFFSETS_TOPIC`: how many partitions it has, and who leads each, if anybody."""

    partitions: int
    leaders: Mapping[int, int]

    @staticmethod
    def of(led: Iterable[tuple[int, int | None]]) -> OffsetsTopic:
        """Of its partitions and who leads each; nobody is None or negative."""
        pairs = list(led)
        leaders = {number: leader for number, leader in pairs if leader is not None and leader >= 0}
        return OffsetsTopic(len(pairs), leaders)


class CoordinatorLocation(NamedTuple):
    """A group's coordinator, as far as it is known.

    `offsets_partition` of `OFFSETS_TOPIC` keeps its offsets, and `offsets_leader` leads that: None
    where the cluster doesn't tell. `coordinator` is the broker that the source named, or else that
    leader, and then `inferred`. `seat` says so as the end of a sentence; None where nothing is
    known.
    """

    offsets_partition: int | None
    offsets_leader: int | None
    coordinator: int | None
    inferred: bool
    seat: str | None


def location_of(
    group: str, reported: int | None, offsets: OffsetsTopic | None
) -> CoordinatorLocation:
    """Where a group's coordinator sits; `reported` is the one that the source named, if it did."""
    if offsets is None:
        words = None if reported is None else f"broker {reported} coordinates it"
        return CoordinatorLocation(None, None, reported, False, words)
    partition = coordinating_partition(group, offsets.partitions)
    leader = offsets.leaders.get(partition)
    inferred = reported is None and leader is not None
    led = "which has no leader" if leader is None else f"led by broker {leader}"
    words = f"its offsets are in {OFFSETS_TOPIC}-{partition}, {led}"
    if inferred:
        words += ", the likely coordinator"
    elif reported is not None:
        words += (
            ", its coordinator" if reported == leader else f"; broker {reported} coordinates it"
        )
    return CoordinatorLocation(
        partition, leader, leader if reported is None else reported, inferred, words
    )


def coordinating_partition(group: str, partitions: int) -> int:
    """The partition of __consumer_offsets whose leader coordinates a group.

    Kafka's Utils.abs of the name's hash, which is 0 for Integer.MIN_VALUE, modulo the topic's
    partitions (GroupMetadataManager.partitionFor).
    """
    hashed = string_hash(group)
    return (0 if hashed == 1 << 31 else min(hashed, (1 << 32) - hashed)) % partitions


SCHEMA = t.StructType(
    [
        *(t.StructField(name, t.IntegerType()) for name in CoordinatorLocation._fields[:3]),
        t.StructField("inferred", t.BooleanType()),
        t.StructField("seat", t.StringType()),
    ]
)


def coordinators(groups: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    """For each of these groups (cluster, group) its `CoordinatorLocation`, in the same columns."""
    offsets = offsets_topics(tables["partitions"])
    reported = groups.join(_reported_coordinators(tables), list(GROUP_KEYS), "left").na.fill(
        {"reported": -1}
    )

    located = F.udf(
        lambda cluster, group, named: location_of(
            group, named if named >= 0 else None, offsets.get(cluster)
        ),
        SCHEMA,
    )
    at = located(*GROUP_KEYS, "reported").alias("at")
    return escaped_rows(reported).select(*GROUP_KEYS, at).select(*GROUP_KEYS, "at.*")


def offsets_topics(partitions: DataFrame) -> dict[str, OffsetsTopic]:
    """Each cluster's topic of offsets."""
    kept = partitions.where(F.col("topic") == OFFSETS_TOPIC)
    led: defaultdict[str, list[tuple[int, int | None]]] = defaultdict(list)
    for cluster, *place in kept.selectExpr(escape("cluster"), "partition", "leader").collect():
        led[cluster].append((place[0], place[1]))
    return {cluster: OffsetsTopic.of(pairs) for cluster, pairs in led.items()}


def _reported_coordinators(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The coordinators that the source named; none in a snapshot without table groups."""
    if "groups" not in tables:
        nobody = tables["members"].select(*GROUP_KEYS).limit(0)
        return nobody.withColumn("reported", F.lit(None).cast("int"))
    groups = tables["groups"].where("coordinator >= 0")
    return groups.groupBy(*GROUP_KEYS).agg(F.min("coordinator").alias("reported"))


def seat_of(fleet: FleetSnapshot | FleetFiles, row: EncodedRow) -> CoordinatorLocation:
    """Where a group's coordinator is, by a snapshot's tables."""
    if isinstance(fleet, FleetFiles):
        columns, topic = ("partition", "leader"), names_wanted([OFFSETS_TOPIC])
        led = fleet.rows("partitions", columns, row.cluster, topic=topic)
        pairs = [*zip(*(led[name].tolist() for name in columns), strict=True)]
        offsets = OffsetsTopic.of(pairs) if pairs else None
    else:
        partitions = fleet.tables["partitions"].where(is_named("cluster", [row.cluster]))
        offsets = offsets_topics(partitions).get(row.cluster)
    return location_of(row.group, row.coordinator, offsets)
