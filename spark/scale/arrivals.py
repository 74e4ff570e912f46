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
    behind_topics: Numbers
    behind_partitions: Numbers
    behind_since: Numbers
    behind_lags: Numbers
    """Records behind at that time, of partitions of which offsets are known; -1: unknown."""
    behind_ends: Numbers
    """Where the logs of those ended then that the group never committed; -1 for all others."""
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
    behind = F.struct(
        F.xxhash64("topic").alias("topic"),
        *("partition", "since"),
        F.coalesce("lag", F.lit(-1)).alias("lag"),
        F.coalesce("uncommitted", F.lit(-1)).alias("end"),
    )
    backlog = rates.backlog.where("lag > 0 or uncommitted >= 0").groupBy(*GROUP_KEYS)
    return {
        "behind": backlog.agg(F.sort_array(F.collect_list(behind)).alias("behind")).select(
            *GROUP_KEYS,
            F.col("behind.topic").alias("behind_topics"),
            F.col("behind.partition").alias("behind_partitions"),
            F.col("behind.since").alias("behind_since"),
            F.col("behind.lag").alias("behind_lags"),
            F.col("behind.end").alias("behind_ends"),
        ),
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
