"""Who coordinates the groups of a fleet, as its tables tell."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import pyarrow as pa
from pyspark.sql import DataFrame, functions as F, types as t

from spark.fleet import GROUP_KEYS, escaped, escaped_rows, is_named
from spark.groups.batches import rows_of
from spark.groups.columns import Cells, batch_of
from spark.groups.seats import OFFSETS_TOPIC, CoordinatorLocation, OffsetsTopic, location_of

SCHEMA = t.StructType(
    [
        *(t.StructField(name, t.StringType()) for name in GROUP_KEYS),
        *(t.StructField(name, t.IntegerType()) for name in CoordinatorLocation._fields[:3]),
        t.StructField("inferred", t.BooleanType()),
        t.StructField("seat", t.StringType()),
    ]
)


def coordinators(groups: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    """For each of these groups (cluster, group) its `CoordinatorLocation`, in the same columns."""
    offsets = _offsets_topics(tables["partitions"])
    reported = groups.join(_reported(tables), list(GROUP_KEYS), "left").na.fill({"reported": -1})

    def located(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            cells: list[Cells] = []
            for row in rows_of(batch):
                named = row.reported if row.reported >= 0 else None
                location = location_of(row.group, named, offsets.get(row.cluster))
                cells.append((row.cluster, row.group, *location))
            if cells:
                yield batch_of(cells, SCHEMA)

    return escaped_rows(reported).mapInArrow(located, SCHEMA)


def coordinator_of(
    tables: Mapping[str, DataFrame], cluster: str, group: str
) -> CoordinatorLocation:
    """The same of one group."""
    in_cluster = is_named("cluster", [cluster])
    row = _reported(tables).where(in_cluster & is_named("group", [group])).first()
    offsets = _offsets_topics(tables["partitions"].where(in_cluster))
    return location_of(group, row.reported if row else None, offsets.get(cluster))


def _offsets_topics(partitions: DataFrame) -> dict[str, OffsetsTopic]:
    """Each cluster's topic of offsets."""
    kept = partitions.where(F.col("topic") == OFFSETS_TOPIC)
    led: defaultdict[str, list[tuple[int, int | None]]] = defaultdict(list)
    for cluster, *place in kept.selectExpr(escaped("cluster"), "partition", "leader").collect():
        led[cluster].append((place[0], place[1]))
    return {cluster: OffsetsTopic.of(pairs) for cluster, pairs in led.items()}


def _reported(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The coordinators that the source named; none in a snapshot without table groups."""
    if "groups" not in tables:
        nobody = tables["members"].select(*GROUP_KEYS).limit(0)
        return nobody.withColumn("reported", F.lit(None).cast("int"))
    groups = tables["groups"].where("coordinator >= 0")
    return groups.groupBy(*GROUP_KEYS).agg(F.min("coordinator").alias("reported"))
