"""When the facts of a group changed, told without any of them leaving Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark.files import SNAPSHOT
from spark.fleet import escaped
from spark.history.timeline import Timeline

AT = (SNAPSHOT, "cluster")
"""What says which cluster's rows at which instant."""

KEYS = (*AT, "group")

TOPIC = (*AT, "topic")

OF_GROUP = {
    "groups": ("state", "strategy", "subscriptions_inferred", "type"),
    "members": ("member_id", "instance_id", "rack", "generation"),
    "assignments": ("topic", "partition", "member_id", "generation"),
}
"""What of a group's own tables is a fact that an assignment may depend on."""

OF_PARTITIONS = ("partition", "topic_id")

RACKS_OF_PARTITIONS = ("leader_rack", "replica_racks")


@dataclass(frozen=True)
class Facts:
    """A row (snapshot, cluster, group, position, start) for each group in each snapshot; kept.

    `position` is that of the snapshot in its cluster's timeline, `start` that from which on the
    group's facts have been the same. Where a group wasn't there, a new start begins.
    """

    rows: DataFrame

    @property
    def spans(self) -> DataFrame:
        """A row (snapshot, cluster, group, start, end) for each time of equal facts.

        `snapshot` is its first, `end` the position of its last.
        """
        return self.rows.groupBy("cluster", "group", "start").agg(
            F.min_by(SNAPSHOT, "position").alias(SNAPSHOT), F.max("position").alias("end")
        )


def facts_of(tables: Mapping[str, DataFrame], timeline: Timeline, racks: bool) -> Facts:
    """Compare hashes of what is known of each group at each instant; `racks` are facts if wanted.

    What differs has different hashes but for a chance of one in 2^64.
    """
    own = [
        _hashed(tables[name], name, *columns).select(*KEYS, "hash")
        for name, columns in OF_GROUP.items()
        if name in tables
    ]
    rows = reduce(DataFrame.unionAll, [*own, _topics_read(tables, racks)])
    digests = rows.groupBy(*KEYS).agg(_digest("hash").alias("digest"))
    placed = _placed(digests, timeline)
    in_time = Window.partitionBy("cluster", "group").orderBy("position")
    changed = (F.lag("digest").over(in_time) != F.col("digest")) | (
        F.lag("position").over(in_time) != F.col("position") - 1
    )
    begins = F.when(F.coalesce(changed, F.lit(True)), F.col("position"))
    start = F.last(begins, ignorenulls=True).over(in_time)
    return Facts(placed.select(*KEYS, "position", start.alias("start")).persist())


def _topics_read(tables: Mapping[str, DataFrame], racks: bool) -> DataFrame:
    """A row for each topic that a group reads: who does, and what the topic is like."""
    columns = (*OF_PARTITIONS, *(RACKS_OF_PARTITIONS if racks else ()))
    partitions = _hashed(tables["partitions"], "partitions", *columns)
    topics = partitions.groupBy(*TOPIC).agg(_digest("hash").alias("topic_digest"))
    readers = _hashed(tables["subscriptions"], "subscriptions", "member_id")
    read = readers.groupBy(*KEYS, "topic").agg(_digest("hash").alias("readers"))
    joined = read.join(topics, list(TOPIC), "left")
    return _hashed(joined, "topics", "topic", "readers", "topic_digest").select(*KEYS, "hash")


def _hashed(rows: DataFrame, table: str, *columns: str) -> DataFrame:
    return rows.withColumn("hash", F.xxhash64(F.lit(table), *columns))


def _digest(hashes: str) -> Column:
    """One number for some rows, in whatever order they come."""
    return F.xxhash64(F.bit_xor(hashes), F.count("*"))


def _placed(rows: DataFrame, timeline: Timeline) -> DataFrame:
    """With the position in the timeline of its cluster, which is spelled as `escaped` does."""
    positions = rows.sparkSession.createDataFrame(
        [
            (cluster, snapshot, position)
            for cluster, ids in timeline.snapshots.items()
            for position, snapshot in enumerate(ids)
        ],
        f"placed_cluster string, placed_{SNAPSHOT} string, position int",
    )
    same = (F.expr(escaped("cluster")) == F.col("placed_cluster")) & (
        F.col(SNAPSHOT) == F.col(f"placed_{SNAPSHOT}")
    )
    return rows.join(F.broadcast(positions), same)
