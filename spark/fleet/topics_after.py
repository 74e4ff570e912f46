"""What events of topics and brokers make of a fleet's tables."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, functions as F

from optimizer.scenarios import BrokerDown, Create, Delete, Event, Grow
from spark.fleet.schemas import GROUP_KEYS

Outcomes = Mapping[str | None, int]
"""How many groups an event applies to, under None, and to how many not, by the reason."""


def topics_after(
    tables: Mapping[str, DataFrame], entries: Mapping[str, DataFrame], event: Event
) -> dict[str, DataFrame]:
    """The tables that such an event changes; none for other events.

    A topic changes in the clusters in which one of the chosen groups can have that, for all of
    their groups.
    """
    if isinstance(event, BrokerDown):
        return _without_broker(tables, event.broker)
    if not isinstance(event, Create | Delete | Grow):
        return {}
    states = _states(entries, event.topic).where(_why_not(event).isNull())
    clusters = states.select("cluster").distinct()
    partitions = tables["partitions"]
    if isinstance(event, Delete):
        of_topic = clusters.withColumn("topic", F.lit(event.topic))
        names = [name for name in ("partitions", "assignments", "offsets") if name in tables]
        return {
            name: tables[name].join(of_topic, ["cluster", "topic"], "left_anti") for name in names
        }
    known_values = partitions.where(F.col("topic") == event.topic)
    of_cluster = known_values.groupBy("cluster").agg(
        F.count("*").alias("size"),
        F.min("topic_id").alias("topic_id"),
        F.avg("weight").alias("weight"),
    )
    numbers = F.sequence(F.coalesce("size", F.lit(0)).cast("int"), F.lit(event.partitions - 1))
    is_more = F.coalesce("size", F.lit(0)) < event.partitions
    new = (
        clusters.join(of_cluster, "cluster", "left")
        .where(is_more)
        .withColumns({"topic": F.lit(event.topic), "partition": F.explode(numbers)})
    )
    facts = [
        F.col(field.name)
        if field.name in new.columns
        else F.lit(None).cast(field.dataType).alias(field.name)
        for field in partitions.schema
    ]
    return {"partitions": partitions.unionByName(new.select(*facts))}


def outcomes_of_topics(entries: Mapping[str, DataFrame], event: Event) -> Outcomes:
    """How many groups can have such an event, and why others can't."""
    if isinstance(event, BrokerDown):
        states = _of_broker(entries, event.broker)
        why = F.when(~F.col("is_there"), F.lit(f"no cluster has a broker {event.broker}"))
    else:
        assert isinstance(event, Create | Delete | Grow)
        states = _states(entries, event.topic)
        why = _why_not(event)
    counts = states.select(why.alias("reason")).groupBy("reason").count().collect()
    return {row.reason: row["count"] for row in counts}


def _states(tables: Mapping[str, DataFrame], topic: str) -> DataFrame:
    """A row a group: whether it reads the topic, and how many partitions that has, null if none."""
    reads = tables["subscriptions"].where(F.col("topic") == topic).select(*GROUP_KEYS).distinct()
    sizes = (
        tables["partitions"]
        .where(F.col("topic") == topic)
        .groupBy("cluster")
        .agg(F.count("*").alias("size"))
    )
    groups = tables["members"].select(*GROUP_KEYS).distinct()
    return groups.join(reads.withColumn("reads", F.lit(True)), [*GROUP_KEYS], "left").join(
        sizes, "cluster", "left"
    )


def _why_not(event: Create | Delete | Grow) -> Column:
    """Why a group of `_states` can't have it; null if it can."""
    topic = repr(event.topic)
    reads = F.coalesce("reads", F.lit(False))
    nobody = F.lit(f"no member subscribes to topic {topic}")
    if isinstance(event, Create):
        there = F.lit(f"topic {topic} is there already")
        return F.when(F.col("size").isNotNull(), there).when(~reads, nobody)
    absent = F.lit(f"the group has no topic {topic}")
    why = F.when(F.col("size").isNull() | ~reads, absent)
    if isinstance(event, Grow):
        small = F.format_string(
            f"topic {topic.replace('%', '%%')} has %d partitions and can't shrink to "
            f"{event.partitions}",
            "size",
        )
        why = why.when(F.col("size") > event.partitions, small)
    return why


def _of_broker(tables: Mapping[str, DataFrame], broker: int) -> DataFrame:
    """A row a group: whether its cluster has that broker."""
    there = tables["partitions"].where(_involves(broker)).select("cluster")
    if "brokers" in tables:
        listed = tables["brokers"].where(F.col("broker") == broker).select("cluster")
        there = there.unionAll(listed)
    marked = there.distinct().withColumn("found", F.lit(True))
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
