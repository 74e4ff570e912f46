"""What comes in for each group, and what its members have been seen to do, as arrays of its row."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F

from spark.fleet import FleetSnapshot, escaped
from spark.groups import GROUP_KEYS
from spark.history import FleetRates


def flows_of(snapshot: FleetSnapshot, rates: FleetRates) -> dict[str, DataFrame]:
    """Parts for `spark.groups.encode`.

    `flows`: hashes of the topics that a group reads (`rated_topics`), and aligned with them the sum
    of their partitions' quantiles (`topic_rates`), the highest of these (`top_rates`) and how many
    there are (`rated_counts`). `abilities`: in one column of that name the most that one of the
    group's members has been seen to do.
    """
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
    abilities = (
        rates.members.where("maximum > 0").groupBy(*GROUP_KEYS).agg(F.max("maximum").alias("most"))
    )
    return {
        "flows": flows.select(
            *GROUP_KEYS,
            F.col("flow.topic").alias("rated_topics"),
            F.col("flow.rate").alias("topic_rates"),
            F.col("flow.top").alias("top_rates"),
            F.col("flow.count").alias("rated_counts"),
        ),
        "abilities": abilities.select(*GROUP_KEYS, F.array("most").alias("abilities")),
    }
