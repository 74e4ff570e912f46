"""The vertices of a fleet's graph: all that the snapshot lists, and all that its claims name."""

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import DataFrame, Window, functions as F

from spark.fleet import MEMBER_KEYS, PARTITION_KEYS, TOPIC_KEYS
from spark.graph.vertex_ids import BROKER, MEMBER, PARTITION, TOPIC, packed, ranked

COLUMNS = {
    "id": "long",
    "cluster": "string",
    "group": "string",
    "member_id": "string",
    "topic": "string",
    "partition": "int",
    "broker": "int",
    "listed": "boolean",
    "partitions": "long",
    "instance_id": "string",
    "client_id": "string",
    "host": "string",
    "rack": "string",
}
"""What a vertex has beside its kind; null is what its kind hasn't.

`listed` is false for what only a claim, a subscription or a leader's number names. `partitions` is
how many a topic has, and 1 for a partition; `rack` a member's or broker's own, or the leader's.
"""

Tables = Mapping[str, DataFrame]

MEMBER_FACTS = ("instance_id", "client_id", "host", "rack")
BROKER_KEYS = ("cluster", "broker")


def vertices_of(tables: Tables, grain: str) -> dict[str, DataFrame]:
    """The vertices of each kind, those of `grain` being partitions or topics."""
    partition_rows = _partitions_of if grain == PARTITION else _topics_of
    return {
        MEMBER: _members_of(tables),
        grain: partition_rows(tables),
        BROKER: _brokers_of(tables),
    }


def _members_of(tables: Tables) -> DataFrame:
    """Whoever is listed, subscribes or owns something."""
    named = [
        tables[name].where("member_id is not null").select(*MEMBER_KEYS)
        for name in ("subscriptions", "assignments")
    ]
    members = _listed_first(tables["members"], named, MEMBER_KEYS, MEMBER_FACTS)
    in_order = F.row_number().over(Window.partitionBy("cluster", "group").orderBy("member_id"))
    return _vertices(
        MEMBER,
        members.withColumn("number", in_order - 1).join(
            ranked(members, "group"), ["cluster", "group"]
        ),
    )


def _partitions_of(tables: Tables) -> DataFrame:
    """Every partition that is listed or owned."""
    partitions = _partitions(tables)
    return _vertices(
        PARTITION,
        partitions.withColumns({"number": F.col("partition"), "partitions": F.lit(1)}).join(
            ranked(partitions, "topic"), list(TOPIC_KEYS)
        ),
    )


def _topics_of(tables: Tables) -> DataFrame:
    """Every topic that has a partition that is listed or owned."""
    topics = (
        _partitions(tables)
        .groupBy(*TOPIC_KEYS)
        .agg(F.bool_or("listed").alias("listed"), F.count_if("listed").alias("partitions"))
    )
    return _vertices(
        TOPIC,
        topics.withColumn("number", F.lit(0)).join(ranked(topics, "topic"), list(TOPIC_KEYS)),
    )


def _partitions(tables: Tables) -> DataFrame:
    """A negative number is nobody's partition."""
    named = tables["assignments"].where("member_id is not null").select(*PARTITION_KEYS)
    listed = tables["partitions"].withColumn("rack", F.col("leader_rack"))
    return _listed_first(listed, [named], PARTITION_KEYS, ("rack",)).where("partition >= 0")


def _brokers_of(tables: Tables) -> DataFrame:
    """Every broker that is listed or leads something; without a rack of its own, its leaders'."""
    leaders = (
        tables["partitions"]
        .select("cluster", F.col("leader").alias("broker"), F.col("leader_rack").alias("led_rack"))
        .where("broker >= 0")
    )
    listed = tables["brokers"] if "brokers" in tables else _no_brokers(leaders)
    columns = ("host", "rack", "led_rack")
    brokers = _listed_first(
        listed.withColumn("led_rack", F.lit(None).cast("string")), [leaders], BROKER_KEYS, columns
    ).where("broker >= 0")
    entries = {"rack": F.coalesce("rack", "led_rack"), "number": F.col("broker")}
    cluster_rank = F.dense_rank().over(Window.orderBy("cluster")).cast("long") - 1
    return _vertices(BROKER, brokers.withColumns(entries).withColumn("rank", cluster_rank))


def _no_brokers(leaders: DataFrame) -> DataFrame:
    nothing = {name: F.lit(None).cast("string") for name in ("host", "rack")}
    return leaders.select(*BROKER_KEYS).where(F.lit(False)).withColumns(nothing)


def _listed_first(
    listed: DataFrame, named: list[DataFrame], keys: tuple[str, ...], columns: tuple[str, ...]
) -> DataFrame:
    """One row a key, `listed` or only named; the least of each fact, should rows contradict."""
    rows = [listed.select(*keys, *columns, F.lit(True).alias("listed"))]
    rows += [table.withColumn("listed", F.lit(False)) for table in named]
    return (
        reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), rows)
        .groupBy(*keys)
        .agg(F.bool_or("listed").alias("listed"), *(F.min(fact).alias(fact) for fact in columns))
    )


def _vertices(kind: str, rows: DataFrame) -> DataFrame:
    return as_vertices(rows.withColumn("id", packed(kind, "rank", "number")))


def as_vertices(rows: DataFrame, *more: str) -> DataFrame:
    """Rows with an id and some of `COLUMNS`, and `more`: of all kinds one schema."""
    return rows.select(
        *(
            (F.col(name) if name in rows.columns else F.lit(None)).cast(data_type).alias(name)
            for name, data_type in COLUMNS.items()
        ),
        *more,
    )
