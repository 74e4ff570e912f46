"""Weights of partitions and capacities of members, on the way into encoded rows and out of them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, functions as F

from optimizer.model import LEAST_CAPACITY, MOST_WEIGHT, IntArray, capacity_fault
from spark.errors import InputError
from spark.fleet import RECORDS_BEHIND, TOPIC_KEYS, FleetSnapshot
from spark.groups.facts import Topics
from spark.groups.rows import EncodedRow

COLUMN, RATE, LAG = "column", "rate", "lag"
"""Where weights come from: see `optimizer.model.goals.WEIGHTS`."""


UNKNOWN = float("nan")


def weight_tables(
    snapshot: FleetSnapshot, sources: Iterable[str], rates: DataFrame | None = None
) -> dict[str, DataFrame]:
    """For each source a table (cluster, topic, partition, weight), and for lags the group as well.

    `rates` is such a table of rates. Raises InputError where a source has nothing to tell weights.
    """
    tables, columns = snapshot.tables, ("cluster", "topic", "partition")
    by_source = {}
    for source in sorted(set(sources)):
        if source == RATE:
            if rates is None:
                raise InputError(
                    "goals ask for weights by rates, and there are none: rates come from a history "
                    "(several snapshots with offsets)"
                )
            by_source[RATE] = rates.select(*columns, "weight")
        elif source == LAG:
            if "offsets" not in tables:
                raise InputError(
                    f"goals ask for weights by lag, and snapshot {snapshot.id} has no table offsets"
                )
            behind = f"double({RECORDS_BEHIND}) as weight"
            by_source[LAG] = tables["offsets"].selectExpr(*columns, "`group`", behind)
        else:
            partitions = tables["partitions"]
            weight = "weight" if "weight" in partitions.columns else "null"
            by_source[COLUMN] = partitions.selectExpr(*columns, f"double({weight}) as weight")
    return by_source


def weights_by_topic(source: str, weights: DataFrame) -> DataFrame:
    """The partitions of each topic that have a weight, and the weight of each."""
    entry = F.sort_array(F.collect_list(F.struct("partition", "weight")))
    by_topic = weights.where("weight is not null").groupBy(*TOPIC_KEYS).agg(entry.alias("entry"))
    names = {"partition": "partitions", "weight": "values"}
    return by_topic.select(
        *TOPIC_KEYS, *(F.col(f"entry.{of}").alias(f"{source}_{name}") for of, name in names.items())
    )


def read_weights(row: EncodedRow, topics: Topics, source: str) -> NDArray[np.float64]:
    """The weight of each partition of a row's topics, NaN where it isn't known, or is none."""
    weights = np.full(int(topics.offsets[-1]), UNKNOWN)
    if source == LAG:
        topic = topics.place[getattr(row, f"{source}_topics")]
    else:
        topic = topics.place[: len(row.topics)].repeat(getattr(row, f"{source}_partitions_counts"))
    number: IntArray = np.asarray(getattr(row, f"{source}_partitions"), np.int64)
    cells = np.asarray(getattr(row, f"{source}_values"), np.float64)
    cells = np.where((cells >= 0) & (cells <= MOST_WEIGHT), cells, UNKNOWN)
    exists = (topic >= 0) & (number >= 0)
    exists[exists] = number[exists] < np.diff(topics.offsets)[topic[exists]]
    weights[topics.offsets[topic[exists]] + number[exists]] = cells[exists]
    return weights


def has_weights(row: EncodedRow, source: str) -> bool:
    """Whether a row was encoded with weights from there."""
    return hasattr(row, f"{source}_values")


def read_capacities(row: EncodedRow) -> NDArray[np.float64] | None:
    """The capacity of each member, NaN where it isn't known; None if none is."""
    return None if np.isnan(row.capacities).all() else row.capacities


def capacity_faults(row: EncodedRow) -> list[str]:
    """A sentence for each capacity that is none."""
    capacities = read_capacities(row)
    pairs = [] if capacities is None else zip(row.member_ids, capacities.tolist(), strict=True)
    return [
        capacity_fault(member, capacity)
        for member, capacity in pairs
        if not (np.isnan(capacity) or LEAST_CAPACITY <= capacity <= MOST_WEIGHT)
    ]
