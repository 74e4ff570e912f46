"""Further facts of a group that events ask for, as arrays of its encoded row."""

from collections.abc import Collection, Iterator
from statistics import fmean
from typing import Any, Protocol

from pyspark.sql import DataFrame, functions as F

from optimizer.model import Group
from spark.fleet import RECORDS_BEHIND, FleetSnapshot
from spark.groups import GROUP_KEYS, EncodedRow, Numbers
from spark.history import FleetRates

Partitions = list[tuple[str, int]]

PARTITION = ("topic", "partition")


class RowOfEvents(EncodedRow, Protocol):
    """A group with what `led_by` and `rate_parts` know; topics are places in `all_topics`."""

    led_brokers: Numbers
    led_topics: Numbers
    led_partitions: Numbers
    led_heirs: Numbers
    """Whether another replica is in sync."""
    rated_topics: Numbers
    rated_partitions: Numbers
    partition_rates: Numbers
    """Records that come in a second for each of these partitions."""
    behind_topics: Numbers
    behind_partitions: Numbers
    behind_records: Numbers
    """Records that the group is behind on each of these."""
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to read a second."""


def led_by(snapshot: FleetSnapshot, brokers: Collection[int]) -> DataFrame:
    """A part for `spark.groups.encode`: partitions that a group reads and these brokers lead."""
    led = led_with_heirs(snapshot, brokers).where("is_down")
    columns = "leader as led_brokers", "heir is not null as led_heirs"
    return topics_read(snapshot).join(
        led.selectExpr("cluster", "topic", "partition", *columns), ["cluster", "topic"]
    )


def led_with_heirs(snapshot: FleetSnapshot, down: Collection[int]) -> DataFrame:
    """Each partition, its leader, whether that is down, and its `heir`: who leads it then."""
    is_down = F.coalesce(F.col("leader").isin(*down), F.lit(False))
    in_order = "filter(coalesce(replicas, isr), one -> array_contains(isr, one))"
    up = f"filter({in_order}, one -> one not in ({', '.join(map(str, sorted(down)))}))"
    heir = F.when(is_down, F.expr(f"try_element_at({up}, 1)")).otherwise(F.col("leader"))
    partitions = snapshot.tables["partitions"]
    return partitions.select(
        *("cluster", "topic", "partition", "leader", "weight"),
        is_down.alias("is_down"),
        heir.alias("heir"),
    )


def rate_parts(snapshot: FleetSnapshot, rates: FleetRates) -> dict[str, DataFrame]:
    """Parts for events: rates and lag of what a group reads, and what a member of it can read."""
    read = rates.read_in(snapshot, rates.rates.where("mean is not null"))
    means = read.select(*GROUP_KEYS, *PARTITION, F.col("mean").alias("partition_rates"))
    parts = {"rated": means, "peak": rates.peak_rates}
    if "offsets" in snapshot.tables:
        offsets = snapshot.tables["offsets"].withColumn("behind_records", F.expr(RECORDS_BEHIND))
        late = offsets.where("behind_records > 0")
        parts["behind"] = late.select(*GROUP_KEYS, *PARTITION, "behind_records")
    return parts


def topics_read(snapshot: FleetSnapshot) -> DataFrame:
    """A row (cluster, group, topic) for each topic that a group subscribes to."""
    return snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()


def led_partitions(row: RowOfEvents, broker: int) -> tuple[Partitions, Partitions]:
    """Of what a group reads, what a broker leads: with another replica in sync, and without."""
    with_heirs: Partitions = []
    without: Partitions = []
    for partition, leader, heir in _listed_in(row, "led", "led_brokers", "led_heirs"):
        if leader == broker:
            (with_heirs if heir else without).append(partition)
    return with_heirs, without


def of_partitions(
    row: RowOfEvents, group: Group, part: str, column: str, unknown: float | None = None
) -> dict[str, list[float]]:
    """A number of each partition of a topic, as far as any are known.

    Where one isn't known it is `unknown`, or without that the mean of its topic.
    """
    by_topic: dict[str, dict[int, float]] = {}
    for (topic, partition), number in _listed_in(row, part, column):
        if topic in group.topics:
            by_topic.setdefault(topic, {})[partition] = float(number)
    numbers = {}
    for topic, of in by_topic.items():
        rest = fmean(of.values()) if unknown is None else unknown
        numbers[topic] = [of.get(number, rest) for number in range(group.topics[topic])]
    return numbers


def _listed_in(row: RowOfEvents, name: str, *value_columns: str) -> Iterator[Any]:
    """Partitions of such a part with their values, of topics that the group reads."""
    if not hasattr(row, f"{name}_topics"):
        return
    columns = (getattr(row, column).tolist() for column in (f"{name}_partitions", *value_columns))
    topics = getattr(row, f"{name}_topics").tolist()
    for topic, partition, *of_partition in zip(topics, *columns, strict=True):
        if topic < len(row.topics):
            yield (row.topics[topic], partition), *of_partition


def seen_peak_rate(row: RowOfEvents) -> float | None:
    """The most records a second that a member of the group was seen to read, if any was."""
    seen: Any = getattr(row, "peak_rates", ())
    return float(seen[0]) if len(seen) else None
