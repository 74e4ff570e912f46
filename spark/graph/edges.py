"""The edges of a fleet's graph: what members may read, what they own, and who leads that."""

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, functions as F

from spark.fleet import MEMBER_KEYS, PARTITION_KEYS, TOPIC_KEYS
from spark.graph.vertex_ids import BROKER, MEMBER, PARTITION, TOPIC
from spark.graph.vertices import BROKER_KEYS, Tables

SUBSCRIBES, OWNS, LED_BY = "subscribes", "owns", "led_by"

Vertices = Mapping[str, DataFrame]

PLACE_KEYS = {PARTITION: PARTITION_KEYS, TOPIC: TOPIC_KEYS}
"""What names the vertices at the other end of a member's edges, by their kind."""


def edges_of(tables: Tables, vertices: Vertices, grain: str) -> dict[str, DataFrame]:
    """The edges of each kind: src, dst, how many `partitions` an edge stands for, `generation`."""
    return {
        SUBSCRIBES: _subscribes(tables, vertices, grain),
        OWNS: _owns(tables, vertices, grain),
        LED_BY: _led_by(tables, vertices, grain),
    }


def _subscribes(tables: Tables, vertices: Vertices, grain: str) -> DataFrame:
    """From each member to each topic that the cluster has, or to each of its partitions."""
    read_vertices = _ids(vertices[grain].where("listed"), TOPIC_KEYS, "dst", "partitions")
    return (
        tables["subscriptions"]
        .distinct()
        .join(_ids(vertices[MEMBER], MEMBER_KEYS, "src"), list(MEMBER_KEYS))
        .join(read_vertices, list(TOPIC_KEYS))
        .select("src", "dst", "partitions", F.lit(None).cast("int").alias("generation"))
    )


def _owns(tables: Tables, vertices: Vertices, grain: str) -> DataFrame:
    """From each member to what it claims; `generation` is the highest of its claims."""
    keys = PLACE_KEYS[grain]
    return (
        tables["assignments"]
        .where("member_id is not null and partition >= 0")
        .join(_ids(vertices[MEMBER], MEMBER_KEYS, "src"), list(MEMBER_KEYS))
        .join(_ids(vertices[grain], keys, "dst"), list(keys))
        .groupBy("src", "dst")
        .agg(
            F.countDistinct("partition").alias("partitions"),
            F.max("generation").alias("generation"),
        )
    )


def _led_by(tables: Tables, vertices: Vertices, grain: str) -> DataFrame:
    """From each partition to the broker that leads it, or from each topic to each such broker."""
    keys = PLACE_KEYS[grain]
    return (
        tables["partitions"]
        .where("leader >= 0 and partition >= 0")
        .withColumnRenamed("leader", "broker")
        .join(_ids(vertices[grain], keys, "src"), list(keys))
        .join(_ids(vertices[BROKER], BROKER_KEYS, "dst"), list(BROKER_KEYS))
        .groupBy("src", "dst")
        .agg(
            F.countDistinct("partition").alias("partitions"),
            F.lit(None).cast("int").alias("generation"),
        )
    )


def _ids(vertices: DataFrame, keys: Sequence[str], end: str, *columns: str) -> DataFrame:
    return vertices.select(*keys, F.col("id").alias(end), *columns)
