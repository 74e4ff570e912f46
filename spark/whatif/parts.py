"""What more is known of a group where events ask for it, as arrays of its encoded row."""

from collections.abc import Collection
from typing import Any, Protocol

from pyspark.sql import DataFrame, functions as F

from spark.fleet import FleetSnapshot, escaped
from spark.groups import GROUP_KEYS, EncodedRow, Numbers
from spark.history import FleetRates

Partitions = list[tuple[str, int]]


class RowOfEvents(EncodedRow, Protocol):
    """A group with what `led_by` and `rated` know; topics stand as hashes."""

    led_brokers: Numbers
    led_topics: Numbers
    led_partitions: Numbers
    led_heirs: Numbers
    """Whether another replica is in sync."""
    rated_topics: Numbers
    partition_rates: Numbers
    """Records that come in a second for one of the topic's partitions."""
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to read a second."""


def led_by(snapshot: FleetSnapshot, brokers: Collection[int]) -> DataFrame:
    """A part for `spark.groups.encode`: partitions that a group reads and these brokers lead."""
    others = "filter(isr, one -> one != leader)"
    led = snapshot.tables["partitions"].where(F.col("leader").isin(*brokers))
    entry = F.struct(
        F.col("leader").alias("broker"),
        F.xxhash64("topic").alias("topic"),
        "partition",
        F.expr(f"coalesce(size({others}), 0) > 0").alias("heir"),
    )
    read = snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
    of_group = (
        read.join(led, ["cluster", "topic"])
        .groupBy(*GROUP_KEYS)
        .agg(F.sort_array(F.collect_list(entry)).alias("led"))
    )
    return of_group.select(
        *GROUP_KEYS,
        F.col("led.broker").alias("led_brokers"),
        F.col("led.topic").alias("led_topics"),
        F.col("led.partition").alias("led_partitions"),
        F.col("led.heir").alias("led_heirs"),
    )


def rated(snapshot: FleetSnapshot, rates: FleetRates) -> dict[str, DataFrame]:
    """Such parts: the rates of topics that a group reads, and what a member of it can read."""
    of_topic = (
        rates.rates.where("mean is not null")
        .groupBy(F.col("cluster").alias("of_cluster"), F.col("topic").alias("of_topic"))
        .agg(F.avg("mean").alias("rate"))
    )
    read = snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
    same = [
        F.expr(escaped("cluster")) == F.col("of_cluster"),
        F.expr(escaped("topic")) == F.col("of_topic"),
    ]
    entry = F.struct(F.xxhash64("topic").alias("topic"), "rate")
    flows = read.join(of_topic, same).groupBy(*GROUP_KEYS).agg(F.collect_list(entry).alias("flow"))
    return {
        "flows": flows.select(
            *GROUP_KEYS,
            F.col("flow.topic").alias("rated_topics"),
            F.col("flow.rate").alias("partition_rates"),
        ),
        "peak_rates": rates.peak_rates.select(*GROUP_KEYS, F.array("most").alias("peak_rates")),
    }


def led_partitions(row: RowOfEvents, broker: int) -> tuple[Partitions, Partitions]:
    """Of what a group reads, what a broker leads: with another replica in sync, and without."""
    if not hasattr(row, "led_brokers"):
        return [], []
    names = _names(row)
    entries = zip(
        *(row.led_brokers, row.led_topics, row.led_partitions, row.led_heirs), strict=True
    )
    with_heirs: Partitions = []
    without: Partitions = []
    for leader, topic, partition, heir in entries:
        if leader == broker and topic in names:
            (with_heirs if heir else without).append((names[topic], int(partition)))
    return with_heirs, without


def rates_of(row: RowOfEvents) -> dict[str, float]:
    """Records a second of one partition, by topic, as far as they are known."""
    if not hasattr(row, "rated_topics"):
        return {}
    names = _names(row)
    pairs = zip(row.rated_topics.tolist(), row.partition_rates.tolist(), strict=True)
    return {names[topic]: float(rate) for topic, rate in pairs if topic in names}


def seen_peak_rate(row: RowOfEvents) -> float | None:
    """The most records a second that a member of the group was seen to read, if any was."""
    seen: Any = getattr(row, "peak_rates", ())
    return float(seen[0]) if len(seen) else None


def _names(row: RowOfEvents) -> dict[int, str]:
    return dict(zip(row.topic_hashes.tolist(), row.topics.tolist(), strict=True))
