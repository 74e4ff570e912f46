"""The graph's vertices, their ids, and the edges between them."""

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window, functions as F

from spark.fleet import MEMBER_KEYS, PARTITION_KEYS, TOPIC_KEYS

MEMBER, PARTITION, TOPIC, BROKER = VERTEX_KINDS = ("member", "partition", "topic", "broker")

NUMBER_BITS = 31
RANK_BITS = 30


def vertex_id(kind: str, rank: str, number: str | Column) -> Column:
    """The id of a vertex; `rank` and `number` are not negative, `number` is an int."""
    high = VERTEX_KINDS.index(kind) << RANK_BITS
    too_many = F.raise_error(F.lit(f"a graph has room for {1 << RANK_BITS} names of one kind"))
    checked = F.when(F.col(rank) < 1 << RANK_BITS, F.col(rank)).otherwise(too_many.cast("long"))
    number = F.col(number) if isinstance(number, str) else number
    return F.shiftleft(checked + F.lit(high).cast("long"), NUMBER_BITS) + number


def rank_names(rows: DataFrame, name: str) -> DataFrame:
    """The distinct (cluster, `name`) of `rows` with their `rank`; one task sorts these names."""
    in_order = F.row_number().over(Window.orderBy("cluster", name)).cast("long")
    names = rows.select("cluster", name).distinct()
    return names.withColumn("rank", in_order - 1)


def name_of(vertex: str) -> Column:
    """Kind and rank without the number.

    It is what the members of a group, or the partitions of a topic, have in common.
    """
    return F.shiftright(vertex, NUMBER_BITS)


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
"""Columns of a vertex beside its kind; null where its kind has none.

`listed` is false for what only a claim, a subscription or a leader's number names. `partitions` is
how many a topic has, and 1 for a partition; `rack` a member's or broker's own, or the leader's.
"""

Tables = Mapping[str, DataFrame]

MEMBER_FACTS = ("instance_id", "client_id", "host", "rack")
BROKER_KEYS = ("cluster", "broker")


def vertices_of(tables: Tables, grain: str) -> dict[str, DataFrame]:
    """The vertices of each kind, those of `grain` being partitions or topics."""
    members, brokers = _members_of(tables), _brokers_of(tables)
    return {MEMBER: members, grain: _read_vertices_of(tables, grain), BROKER: brokers}


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
            rank_names(members, "group"), ["cluster", "group"]
        ),
    )


def _read_vertices_of(tables: Tables, grain: str) -> DataFrame:
    """Every partition that is listed or owned, or every topic that has one.

    A negative number is nobody's partition.
    """
    named = tables["assignments"].where("member_id is not null").select(*PARTITION_KEYS)
    listed = tables["partitions"].withColumn("rack", F.col("leader_rack"))
    partitions = _listed_first(listed, [named], PARTITION_KEYS, ("rack",)).where("partition >= 0")
    rows = partitions.withColumns({"number": F.col("partition"), "partitions": F.lit(1)})
    if grain == TOPIC:
        is_listed, count = F.bool_or("listed"), F.count_if("listed")
        topics = partitions.groupBy(*TOPIC_KEYS)
        rows = topics.agg(is_listed.alias("listed"), count.alias("partitions"))
        rows = rows.withColumn("number", F.lit(0))
    return _vertices(grain, rows.join(rank_names(rows, "topic"), list(TOPIC_KEYS)))


def _brokers_of(tables: Tables) -> DataFrame:
    """Every broker that is listed or leads something; without a rack of its own, its leaders'."""
    leaders = (
        tables["partitions"]
        .select("cluster", F.col("leader").alias("broker"), F.col("leader_rack").alias("led_rack"))
        .where("broker >= 0")
    )
    unknown = F.lit(None).cast("string")
    nothing = dict.fromkeys(("host", "rack"), unknown)
    listed = tables.get("brokers", leaders.select(*BROKER_KEYS).limit(0).withColumns(nothing))
    columns = ("host", "rack", "led_rack")
    brokers = _listed_first(
        listed.withColumn("led_rack", unknown), [leaders], BROKER_KEYS, columns
    ).where("broker >= 0")
    derived = {"rack": F.coalesce("rack", "led_rack"), "number": F.col("broker")}
    cluster_rank = F.dense_rank().over(Window.orderBy("cluster")).cast("long") - 1
    return _vertices(BROKER, brokers.withColumns(derived).withColumn("rank", cluster_rank))


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
    """Rows with their ids and some of `COLUMNS`: of all kinds one schema."""
    named = rows.withColumn("id", vertex_id(kind, "rank", "number"))
    return named.select(
        *(
            (F.col(name) if name in named.columns else F.lit(None)).cast(data_type).alias(name)
            for name, data_type in COLUMNS.items()
        )
    )


SUBSCRIBES, OWNS, LED_BY = "subscribes", "owns", "led_by"

Vertices = Mapping[str, DataFrame]

PLACE_KEYS = {PARTITION: PARTITION_KEYS, TOPIC: TOPIC_KEYS}
"""Keys of the vertices at the other end of a member's edges, by their kind."""


def edges_of(tables: Tables, vertices: Vertices, grain: str) -> dict[str, DataFrame]:
    """The edges of each kind: src, dst, how many `partitions` an edge stands for, `generation`.

    From each member to each topic that the cluster has, or to each of its partitions, and to what
    it claims, with the highest `generation` of its claims; from each partition to the broker that
    leads it, or from each topic to each such broker.
    """
    members, read_vertices, brokers = vertices[MEMBER], vertices[grain], vertices[BROKER]
    keys, unknown = PLACE_KEYS[grain], F.lit(None).cast("int")
    subscribes = _tied(
        tables["subscriptions"].distinct(),
        _ids(members, MEMBER_KEYS, "src"),
        _ids(read_vertices.where("listed"), TOPIC_KEYS, "dst", "partitions"),
    )
    owns = _tied(
        tables["assignments"].where("member_id is not null and partition >= 0"),
        _ids(members, MEMBER_KEYS, "src"),
        _ids(read_vertices, keys, "dst"),
    )
    led_by = _tied(
        tables["partitions"]
        .where("leader >= 0 and partition >= 0")
        .withColumnRenamed("leader", "broker"),
        _ids(read_vertices, keys, "src"),
        _ids(brokers, BROKER_KEYS, "dst"),
    )
    return {
        SUBSCRIBES: subscribes.select("src", "dst", "partitions", unknown.alias("generation")),
        OWNS: _counted(owns, F.max("generation")),
        LED_BY: _counted(led_by, unknown),
    }


def _tied(rows: DataFrame, *ends: DataFrame) -> DataFrame:
    """Rows with the ids of the vertices at both ends, by the keys that these have."""
    for end in ends:
        rows = rows.join(end, [name for name in end.columns if name in rows.columns])
    return rows


def _counted(rows: DataFrame, generation: Column) -> DataFrame:
    """An edge for all rows between two vertices."""
    count = F.countDistinct("partition").alias("partitions")
    return rows.groupBy("src", "dst").agg(count, generation.alias("generation"))


def _ids(vertices: DataFrame, keys: Sequence[str], end: str, *columns: str) -> DataFrame:
    return vertices.select(*keys, F.col("id").alias(end), *columns)
