"""What comes in for each group, and what its members have been seen to do, as arrays of its row."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from pyspark.sql import DataFrame, functions as F

from optimizer.model import Problem
from spark.fleet import FleetSnapshot
from spark.groups import GROUP_KEYS, EncodedRow, Numbers, read_topics
from spark.history import FleetRates, groups_behind


class RowWithFlows(EncodedRow, Protocol):
    """A group with what `flows_of` knows of its topics, places in `all_topics`."""

    rated_topics: Numbers
    topic_rates: Numbers
    """The sum of the quantiles."""
    top_rates: Numbers
    """The highest quantile."""
    rated_counts: Numbers
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to do."""
    behind_counts: Numbers
    """One number: the partitions whose lag grows; none where the group keeps up."""


def late_in(rates: FleetRates) -> dict[str, DataFrame]:
    """A part for `spark.groups.encode`: how many partitions each group falls behind on."""
    late = groups_behind(rates.consumption, rates.present, rates.window).where("behind > 0")
    return {"late": late.select(*GROUP_KEYS, F.col("behind").cast("int").alias("behind_counts"))}


def flows_of(snapshot: FleetSnapshot, rates: FleetRates) -> dict[str, DataFrame]:
    """Parts for `spark.groups.encode`, with the columns of `RowWithFlows`."""
    rated = rates.rates.where("quantile is not null")
    of_topic = rated.groupBy("cluster", "topic").agg(
        F.sum("quantile").alias("topic_rates"),
        F.max("quantile").alias("top_rates"),
        F.count("*").cast("int").alias("rated_counts"),
    )
    columns = *GROUP_KEYS, "topic", "topic_rates", "top_rates", "rated_counts"
    return {"rated": rates.read_in(snapshot, of_topic).select(*columns), "peak": rates.peak_rates}


class Flow(NamedTuple):
    """Records a second of each topic of a problem; of `rated` partitions, `top` at most.

    The lag of `behind` partitions grows.
    """

    rates: Any
    rated: int
    top: float
    peak_rate: float
    behind: int


def flow_of(row: RowWithFlows, problem: Problem) -> Flow | None:
    """None where no rate is known, or nobody was seen to do anything."""
    peak_rate: Any = getattr(row, "peak_rates", [])
    if not len(peak_rate) or not len(row.rated_topics):
        return None
    rates = np.zeros(len(problem.topics))
    rates[read_topics(row).place[row.rated_topics]] = row.topic_rates
    rated, top = int(row.rated_counts.sum()), float(row.top_rates.max())
    behind = sum(getattr(row, "behind_counts", ()))
    return Flow(rates, rated, top, float(peak_rate[0]), int(behind))
