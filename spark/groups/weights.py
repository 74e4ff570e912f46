"""What partitions weigh and members can take, on the way into encoded rows and out of them."""

from collections.abc import Iterable, Mapping
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, functions as F

from optimizer.model import LEAST_CAPACITY, LEAST_KNOWN, MOST_WEIGHT, IntArray, capacity_fault
from spark.errors import InputError
from spark.fleet import RECORDS_BEHIND, TOPIC_KEYS, FleetSnapshot
from spark.groups.encoded_row import EncodedRow
from spark.groups.topics import Topics

COLUMN, RATE, LAG = "column", "rate", "lag"
"""Where weights come from: see `optimizer.model.goals.WEIGHTS`."""


UNKNOWN = float("nan")


def weight_tables(
    snapshot: FleetSnapshot, sources: Iterable[str], rates: DataFrame | None = None
) -> dict[str, DataFrame]:
    """For each source a table (cluster, topic, partition, weight), and for lags the group as well.

    `rates` is such a table of rates. Raises InputError where a source has nothing to tell weights.
    """
    result = {}
    for source in sorted(set(sources)):
        if source == RATE:
            if rates is None:
                raise InputError(
                    "goals ask for weights by rates, and there are none: rates come from a history "
                    "(several snapshots with offsets)"
                )
            result[RATE] = rates.select("cluster", "topic", "partition", "weight")
        elif source == LAG:
            if "offsets" not in snapshot.tables:
                raise InputError(
                    f"goals ask for weights by lag, and snapshot {snapshot.id} has no table offsets"
                )
            offsets = snapshot.tables["offsets"]
            result[LAG] = offsets.select(
                *("cluster", "group", "topic", "partition"),
                F.expr(RECORDS_BEHIND).cast("double").alias("weight"),
            )
        else:
            partitions = snapshot.tables["partitions"]
            weight = F.col("weight") if "weight" in partitions.columns else F.lit(None)
            result[COLUMN] = partitions.select(
                *("cluster", "topic", "partition"), weight.cast("double").alias("weight")
            )
    return result


def by_topic(topics: DataFrame, tables: Mapping[str, DataFrame]) -> DataFrame:
    """The topics with the weights of each one's partitions, a column a source.

    Those of the partitions' own table come with the topics (`of_partitions`).
    """
    settings = [
        table.groupBy(*TOPIC_KEYS).agg(of_partitions().alias(source))
        for source, table in tables.items()
        if source not in (COLUMN, LAG)
    ]
    return reduce(
        lambda result, item: result.join(item, list(TOPIC_KEYS), "left"), settings, topics
    )


def of_partitions() -> Column:
    """The partitions of a grouping that have a weight, and the weight of each."""
    entry = F.struct("partition", F.col("weight"))
    return F.sort_array(F.collect_list(F.when(F.col("weight").isNotNull(), entry)))


def of_topics(topics: Column, sources: Iterable[str]) -> dict[str, Column]:
    """The columns that a group's row has of its topics: how many weights each has, and these."""
    columns = {}
    for source in sources:
        entries = F.transform(topics[source], lambda result: F.coalesce(result, F.array()))
        columns[f"{source}_counts"] = F.transform(entries, F.size)
        columns[f"{source}_partitions"] = F.flatten(entries)["partition"]
        columns[f"{source}_values"] = F.flatten(entries)["weight"]
    return columns


def lags_of(lags: DataFrame) -> DataFrame:
    """The lags of each group, a row each; topics stand as hashes."""
    result = F.collect_list(
        F.struct(F.xxhash64("topic").alias("topic"), "partition", _or_unknown())
    )
    return (
        lags.groupBy("cluster", "group")
        .agg(F.sort_array(result).alias("lag"))
        .select(
            *("cluster", "group"),
            F.col("lag.topic").alias("lag_topics"),
            F.col("lag.partition").alias("lag_partitions"),
            F.col("lag.weight").alias("lag_values"),
        )
    )


def _or_unknown() -> Column:
    """A weight as stated, which Spark works out once; a null isn't known."""
    return F.coalesce("weight", F.lit(UNKNOWN)).alias("weight")


def read_weights(row: EncodedRow, topics: Topics, source: str) -> NDArray[np.float64]:
    """The weight of each partition of a row's topics, NaN where it isn't known, or is none."""
    result = np.full(int(topics.offsets[-1]), UNKNOWN)
    if source == LAG:
        topic = topics.index.find(row.lag_topics)
    else:
        topic = topics.subscribed.repeat(getattr(row, f"{source}_counts"))
    number: IntArray = np.asarray(getattr(row, f"{source}_partitions"), np.int64)
    values = np.asarray(getattr(row, f"{source}_values"), np.float64)
    values = np.where((values >= 0) & (values <= MOST_WEIGHT), values, UNKNOWN)
    exists = (topic >= 0) & (number >= 0)
    exists[exists] = number[exists] < np.diff(topics.offsets)[topic[exists]]
    result[topics.offsets[topic[exists]] + number[exists]] = values[exists]
    return result


def has_weights(row: EncodedRow, source: str) -> bool:
    """Whether a row was encoded with weights from there."""
    return hasattr(row, f"{source}_values")


def knows_weights(row: EncodedRow) -> bool:
    """Whether at least half of the partitions that a group reads have weights of their own."""
    if not has_weights(row, COLUMN):
        return False
    weights = np.asarray(getattr(row, f"{COLUMN}_values"), np.float64)
    valid = np.count_nonzero((weights >= 0) & (weights <= MOST_WEIGHT))
    return bool(valid >= LEAST_KNOWN * row.topic_sizes[row.topic_sizes > 0].sum() > 0)


def read_capacities(row: EncodedRow) -> NDArray[np.float64] | None:
    """The capacity of each member, NaN where it isn't known; None if none is."""
    result = np.asarray(row.capacities, np.float64)
    return None if np.isnan(result).all() else result


def capacity_faults(row: EncodedRow) -> list[str]:
    """A sentence for each capacity that is none."""
    return [
        capacity_fault(member, float(capacity))
        for member, capacity in zip(row.member_ids, row.capacities, strict=True)
        if not (np.isnan(capacity) or LEAST_CAPACITY <= capacity <= MOST_WEIGHT)
    ]
