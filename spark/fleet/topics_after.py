"""What events of topics and brokers make of a fleet's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from pyspark.sql import Column, DataFrame, functions as F

from optimizer.scenarios import BrokerDown, Event, TopicEvent
from spark.fleet.schemas import GROUP_KEYS

Outcomes = Mapping[str | None, int]
"""How many groups an event applies to, under None, and to how many not, by the reason."""


def topics_after(
    tables: Mapping[str, DataFrame], entries: Mapping[str, DataFrame], event: Event
) -> tuple[dict[str, DataFrame], Outcomes] | None:
    """The tables that such an event changes, and to how many groups it applies; None for others.

    A topic changes in the clusters in which one of the chosen groups can have that, for all of
    their groups.
    """
    if isinstance(event, BrokerDown):
        return _without_broker(tables, event.broker), _outcomes_of_broker(entries, event.broker)
    if not isinstance(event, TopicEvent):
        return None
    outcomes: Counter[str | None] = Counter()
    clusters = set()
    for state in _states(entries, event.topic).collect():
        reason = event.refusal(state.size, state.reads)
        outcomes[reason] += state.groups
        if reason is None:
            clusters.add(state.cluster)
    return _with_topic(tables, event, clusters), outcomes


def _with_topic(
    tables: Mapping[str, DataFrame], event: TopicEvent, clusters: Collection[str]
) -> dict[str, DataFrame]:
    """The tables with the topic as it is in these clusters then."""
    is_it = (F.col("topic") == event.topic) & F.col("cluster").isin(*clusters)
    if event.size is None:
        names = [name for name in ("partitions", "assignments", "offsets") if name in tables]
        return {name: tables[name].where(~F.coalesce(is_it, F.lit(False))) for name in names}
    partitions = tables["partitions"]
    of_cluster = (
        partitions.where(is_it)
        .groupBy("cluster")
        .agg(
            F.count("*").alias("size"),
            F.min("topic_id").alias("topic_id"),
            F.avg("weight").alias("weight"),
        )
    )
    numbers = F.sequence(F.coalesce("size", F.lit(0)).cast("int"), F.lit(event.size - 1))
    is_more = F.coalesce("size", F.lit(0)) < event.size
    grown = partitions.sparkSession.createDataFrame(
        [(name,) for name in clusters], "cluster string"
    )
    new = (
        grown.join(of_cluster, "cluster", "left")
        .where(is_more)
        .withColumns({"topic": F.lit(event.topic), "partition": F.explode(numbers)})
    )
    columns = [
        F.col(field.name)
        if field.name in new.columns
        else F.lit(None).cast(field.dataType).alias(field.name)
        for field in partitions.schema
    ]
    return {"partitions": partitions.unionByName(new.select(*columns))}


def _states(tables: Mapping[str, DataFrame], topic: str) -> DataFrame:
    """A row (cluster, reads, size): how many `groups` read the topic, or don't; null: no size."""
    reads = tables["subscriptions"].where(F.col("topic") == topic).select(*GROUP_KEYS).distinct()
    sizes = (
        tables["partitions"]
        .where(F.col("topic") == topic)
        .groupBy("cluster")
        .agg(F.count("*").alias("size"))
    )
    groups = tables["members"].select(*GROUP_KEYS).distinct()
    marked = groups.join(reads.withColumn("found", F.lit(True)), [*GROUP_KEYS], "left")
    return (
        marked.withColumn("reads", F.coalesce("found", F.lit(False)))
        .join(sizes, "cluster", "left")
        .groupBy("cluster", "reads", "size")
        .agg(F.count("*").alias("groups"))
    )


def _outcomes_of_broker(entries: Mapping[str, DataFrame], broker: int) -> Outcomes:
    why = F.when(~F.col("is_there"), F.lit(f"no cluster has a broker {broker}"))
    states = _of_broker(entries, broker).select(why.alias("reason"))
    return {row.reason: row["count"] for row in states.groupBy("reason").count().collect()}


def _of_broker(tables: Mapping[str, DataFrame], broker: int) -> DataFrame:
    """A row a group: whether its cluster has that broker."""
    clusters = tables["partitions"].where(_involves(broker)).select("cluster")
    if "brokers" in tables:
        listed = tables["brokers"].where(F.col("broker") == broker).select("cluster")
        clusters = clusters.unionAll(listed)
    marked = clusters.distinct().withColumn("found", F.lit(True))
    groups = tables["members"].select(*GROUP_KEYS).distinct()
    return groups.join(marked, "cluster", "left").select(
        *GROUP_KEYS, F.coalesce("found", F.lit(False)).alias("is_there")
    )


def _involves(broker: int) -> Column:
    return (F.col("leader") == broker) | F.array_contains("replicas", broker)


def _without_broker(tables: Mapping[str, DataFrame], broker: int) -> dict[str, DataFrame]:
    """Other leaders where another replica is in sync, and none where there isn't one.

    The rack of a new leader is known where each replica's is.
    """
    partitions = tables["partitions"]
    led = F.col("leader") == broker
    others = F.expr(f"filter(replicas, one -> one != {broker} and array_contains(isr, one))")
    heir = F.try_element_at(others, F.lit(1))
    place = F.array_position("replicas", heir).cast("int")
    are_known = F.size("replicas") == F.size("replica_racks")
    rack = F.when(are_known & heir.isNotNull(), F.try_element_at("replica_racks", place))
    changed = {
        "partitions": partitions.withColumns(
            {
                "leader_rack": F.when(led, rack).otherwise(F.col("leader_rack")),
                "leader": F.when(led, heir).otherwise(F.col("leader")),
                "isr": F.array_remove("isr", broker),
            }
        )
    }
    if "brokers" in tables:
        changed["brokers"] = tables["brokers"].where(F.col("broker") != broker)
    if "groups" in tables:
        groups = tables["groups"]
        moved = F.col("coordinator") == broker
        unknown = F.when(~moved, F.col("coordinator"))
        changed["groups"] = groups.withColumn("coordinator", unknown)
    return changed
