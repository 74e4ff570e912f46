"""What came in for each group over time, and how many members it had, as arrays of its row."""

from collections.abc import Mapping
from typing import Protocol

from pyspark.sql import DataFrame, functions as F

from spark.fleet import FleetSnapshot, escaped
from spark.groups import GROUP_KEYS, EncodedRow, Numbers
from spark.history import FleetRates


class RowOverTime(EncodedRow, Protocol):
    """A group with the pairs of its partitions, which stand as hashes of their topic.

    `pair_counts` of the pairs are of each partition. Times are seconds since 1970.
    """

    pair_topics: Numbers
    pair_partitions: Numbers
    pair_counts: Numbers
    pair_since: Numbers
    pair_at: Numbers
    pair_rates: Numbers
    """NaN where the end offset fell."""
    sized_at: Numbers
    sized: Numbers
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to do."""


def arrivals_of(snapshot: FleetSnapshot, rates: FleetRates) -> Mapping[str, DataFrame]:
    """Parts for `spark.groups.encode`, with the columns of `RowOverTime`."""
    pairs = rates.pairs.select(
        F.col("cluster").alias("of_cluster"),
        F.col("topic").alias("of_topic"),
        "partition",
        "pairs",
    )
    read = snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
    same = [
        F.expr(escaped("cluster")) == F.col("of_cluster"),
        F.expr(escaped("topic")) == F.col("of_topic"),
    ]
    entry = F.struct(F.xxhash64("topic").alias("topic"), "partition", "pairs")
    joined = read.join(pairs, same).groupBy(*GROUP_KEYS).agg(F.collect_list(entry).alias("entry"))
    flat = F.flatten("entry.pairs")
    rate = F.transform(flat["rate"], lambda item: F.coalesce(item, F.lit(float("nan"))))
    sized = rates.sizes.groupBy(*GROUP_KEYS).agg(
        F.sort_array(F.collect_list(F.struct("at", "members"))).alias("size")
    )
    return {
        "arrivals": joined.select(
            *GROUP_KEYS,
            F.col("entry.topic").alias("pair_topics"),
            F.col("entry.partition").alias("pair_partitions"),
            F.transform("entry.pairs", F.size).alias("pair_counts"),
            flat["since"].alias("pair_since"),
            flat["at"].alias("pair_at"),
            rate.alias("pair_rates"),
        ),
        "sized": sized.select(
            *GROUP_KEYS,
            F.col("size.at").alias("sized_at"),
            F.col("size.members").alias("sized"),
        ),
        "peaks": rates.peak_rates.select(*GROUP_KEYS, F.array("most").alias("peak_rates")),
    }
