"""What comes in for each group, and what its members have been seen to do, as arrays of its row."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from pyspark.sql import DataFrame, functions as F

from optimizer.model import Problem
from spark.fleet import FleetSnapshot, escaped
from spark.groups import GROUP_KEYS, EncodedRow, Numbers
from spark.history import FleetRates


class RowWithFlows(EncodedRow, Protocol):
    """A group with what `flows_of` knows of its topics, which stand as hashes."""

    rated_topics: Numbers
    topic_rates: Numbers
    """The sum of the quantiles."""
    top_rates: Numbers
    """The highest quantile."""
    rated_counts: Numbers
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to do."""


def flows_of(snapshot: FleetSnapshot, rates: FleetRates) -> dict[str, DataFrame]:
    """Parts for `spark.groups.encode`, with the columns of `RowWithFlows`."""
    of_topic = (
        rates.rates.where("quantile is not null")
        .groupBy(F.col("cluster").alias("of_cluster"), F.col("topic").alias("of_topic"))
        .agg(
            F.sum("quantile").alias("rate"),
            F.max("quantile").alias("top"),
            F.count("*").cast("int").alias("count"),
        )
    )
    read = snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
    same = [
        F.expr(escaped("cluster")) == F.col("of_cluster"),
        F.expr(escaped("topic")) == F.col("of_topic"),
    ]
    entry = F.struct(F.xxhash64("topic").alias("topic"), "rate", "top", "count")
    flows = read.join(of_topic, same).groupBy(*GROUP_KEYS).agg(F.collect_list(entry).alias("flow"))
    return {
        "flows": flows.select(
            *GROUP_KEYS,
            F.col("flow.topic").alias("rated_topics"),
            F.col("flow.rate").alias("topic_rates"),
            F.col("flow.top").alias("top_rates"),
            F.col("flow.count").alias("rated_counts"),
        ),
        "peak_rates": rates.peak_rates.select(*GROUP_KEYS, F.array("most").alias("peak_rates")),
    }


class Flow(NamedTuple):
    """Records a second of each topic of a problem; of `rated` partitions, `top` at most."""

    rates: Any
    rated: int
    top: float
    peak_rate: float


def flow_of(row: RowWithFlows, problem: Problem) -> Flow | None:
    """None where no rate is known, or nobody was seen to do anything."""
    peak_rate: Any = getattr(row, "peak_rates", [])
    if not len(peak_rate) or not len(row.rated_topics):
        return None
    rates = np.zeros(len(problem.topics))
    name_of = dict(zip(row.topic_hashes.tolist(), row.topics.tolist(), strict=True))
    index = {topic: t for t, topic in enumerate(problem.topics)}
    for topic, rate in zip(row.rated_topics.tolist(), row.topic_rates.tolist(), strict=True):
        rates[index[name_of[topic]]] = rate
    rated, top = int(row.rated_counts.sum()), float(row.top_rates.max())
    return Flow(rates, rated, top, float(peak_rate[0]))
