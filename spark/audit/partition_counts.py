"""Counts partitions of clusters by polars."""

from collections import Counter
from typing import Any

import polars as pl

from spark.audit.cluster_facts import ClusterFacts, Smallest

PLACE = ("topic", "partition")


def count_partitions(rows: pl.DataFrame, clusters: dict[str, ClusterFacts]) -> None:
    """Count rows of the table of partitions in what is known of their clusters."""
    for (name,), of_cluster in rows.partition_by("cluster", as_dict=True).items():
        _count(clusters[name], of_cluster)


def _count(cluster: ClusterFacts, rows: pl.DataFrame) -> None:
    sizes = pl.col("replicas").list.len().cast(pl.Int64)
    rows = rows.with_row_index("row").with_columns(
        pl.col("leader", "min_insync_replicas").fill_null(-1),
        size=sizes.fill_null(-1),
        in_sync=pl.coalesce(pl.col("isr").list.len().cast(pl.Int64), sizes, -1),
        is_complete=(pl.col("replica_racks").list.len() == pl.col("replicas").list.len())
        .fill_null(False)
        .and_(sizes > 0),
    )
    rows = rows.with_columns(spare=pl.col("in_sync") - pl.max_horizontal("min_insync_replicas", 1))
    _count_topics(cluster, rows)
    _count_brokers(cluster, rows)
    _count_racks(cluster, rows)


def _count_topics(cluster: ClusterFacts, rows: pl.DataFrame) -> None:
    size, leader, minimum = (pl.col(name) for name in ("size", "leader", "min_insync_replicas"))
    adding, removing = pl.col("adding_replicas"), pl.col("removing_replicas")
    is_reversed = (adding.list.set_intersection(removing).list.len() > 0).fill_null(False)
    is_behind = (size > 0) & (pl.col("in_sync") < size)
    at_minimum = (minimum > 1) & (size >= 1) & (size <= minimum)
    masks = {
        "partitions": pl.lit(True),
        "with_replicas": size >= 0,
        "single": size == 1,
        "at_minimum": at_minimum,
        "out_of_sync": is_behind,
        "one_from_loss": is_behind & (pl.col("in_sync") < 2),
        # tasks of connectors, which stand among partitions, never have a leader
        "leaderless": (leader < 0) & ~pl.col("topic").str.contains("/", literal=True),
        # as Kafka's Partition.effectiveMinIsr: no more have to be in sync than there are
        "refusing": (
            (leader >= 0) & (pl.col("isr").list.len() < pl.min_horizontal(minimum, size))
        ).fill_null(False),
        "stuck": (leader < 0) & (adding.list.len() > 0).fill_null(False) & ~is_reversed,
        "reversed": is_reversed,
    }
    rows = rows.with_columns(**masks)
    for name in masks:
        of_topic = rows.filter(name).group_by("topic")
        getattr(cluster, name).update(_by_key(of_topic.agg(pl.len())))
        if name in ("leaderless", "refusing", "stuck", "reversed"):
            firsts = getattr(cluster, f"first_{name}")
            firsts.update(_by_key(of_topic.agg(pl.col("partition").min())))
    needy = rows.filter("at_minimum").group_by("topic")
    cluster.minimum.update(_by_key(needy.agg(minimum.max())))
    cluster.fewest.update(_by_key(needy.agg(size.min())))
    spare, in_sync = pl.col("spare"), pl.col("in_sync")
    weakest = rows.filter(size > 0).select("topic", spare, in_sync - 1, size=size - 1)
    cluster.bears.update(_weakest(weakest))


def _weakest(rows: pl.DataFrame) -> Smallest:
    """By topic and position the smallest of each of the numbers."""
    least = rows.group_by("topic").agg(pl.exclude("topic").clip(lower_bound=-1).min())
    return Smallest(
        ((topic, what), number)
        for topic, *numbers in least.rows()
        for what, number in enumerate(numbers)
    )


def _count_brokers(cluster: ClusterFacts, rows: pl.DataFrame) -> None:
    replicas, isr, leader = (pl.col(name) for name in ("replicas", "isr", "leader"))
    every = rows.select(broker=replicas.explode()).filter(pl.col("broker") >= 0)
    led = rows.filter(leader >= 0).with_columns(broker=replicas.list.first().fill_null(-1))
    preferred = led.filter(pl.col("size") > 0)
    for counts, brokers in (
        (cluster.replicas, every),
        (cluster.led, led.select(broker=leader)),
        (cluster.preferred, preferred),
        (cluster.away, preferred.filter(pl.col("broker") != leader)),
    ):
        counts.update(_by_key(brokers.group_by("broker").agg(pl.len())))
    behind = rows.select(*PLACE, broker=replicas.list.set_difference(isr)).explode("broker")
    alone = rows.filter((pl.col("size") > 1) & (isr.list.len() == 1)).with_columns(
        broker=isr.list.first().fill_null(-1)
    )
    _count_places(cluster.behind, cluster.first_behind, behind.filter(pl.col("broker") >= 0))
    _count_places(cluster.alone, cluster.first_alone, alone)


def _count_racks(cluster: ClusterFacts, rows: pl.DataFrame) -> None:
    """Of partitions with a rack for each replica, though that may be null."""
    complete = rows.filter("is_complete")
    replicas = complete.select(
        *("row", "size", "spare", "isr"), broker="replicas", rack="replica_racks"
    ).explode("broker", "rack")
    racked = replicas.filter(pl.col("rack").is_not_null())
    of_broker = racked.filter(pl.col("broker") >= 0).group_by("broker")
    cluster.rack.update(_by_key(of_broker.agg(pl.col("rack").max())))
    several = racked.filter(pl.col("size") > 1).group_by("rack")
    cluster.racks.update(_by_key(several.agg(pl.len())))
    racks = pl.col("replica_racks").list
    held = complete.filter((pl.col("size") > 1) & (racks.n_unique() == 1))
    held = held.with_columns(rack=racks.first()).filter(pl.col("rack").is_not_null())
    _count_places(cluster.held, cluster.first_held, held, "rack")
    placed = complete.filter(~racks.eval(pl.element().is_null()).list.any())
    in_sync = pl.col("isr").is_null() | pl.col("isr").list.contains(pl.col("broker"))
    bears = placed.join(racks_that_may_fail(racked.filter(in_sync)), "row", "left").select(
        "topic",
        pl.when(pl.col("spare") < 0).then(-1).otherwise(pl.col("lost").fill_null(0)),
        readable=pl.col("all").fill_null(0) - 1,
        kept=racks.n_unique().cast(pl.Int64) - 1,
    )
    cluster.bears_racks.update(_weakest(bears))


def racks_that_may_fail(replicas: pl.DataFrame) -> pl.DataFrame:
    """By row: of how many racks its replicas are (`all`), and how many of these may fail (`lost`).

    Those with most replicas first, that together have no more replicas than the row can `spare`.
    """
    of_rack = replicas.group_by("row", "spare", "rack").agg(held=pl.len().cast(pl.Int64))
    sums = of_rack.sort("held", descending=True).with_columns(pl.col("held").cum_sum().over("row"))
    return sums.group_by("row").agg(
        all=pl.len().cast(pl.Int64), lost=(pl.col("held") <= pl.col("spare")).sum().cast(pl.Int64)
    )


def _count_places(
    counts: Counter[Any], firsts: Smallest, rows: pl.DataFrame, by: str = "broker"
) -> None:
    """How many partitions there are by broker or rack, and the first of them."""
    of_key = rows.sort(PLACE).group_by(by)
    counts.update(_by_key(of_key.agg(pl.len())))
    first = of_key.agg(pl.col(PLACE).first())
    firsts.update(Smallest({key: (topic, partition) for key, topic, partition in first.rows()}))


def _by_key(rows: pl.DataFrame) -> Smallest:
    return Smallest(rows.rows())
