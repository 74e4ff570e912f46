"""Where each partition ended at each instant, and how fast that moves: what comes in."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window, functions as F

from spark.files import SNAPSHOT
from spark.fleet import escaped_rows
from spark.history.rates_pairs import Doubt, fell, in_time, known_offset, neighbour, rate, resets
from spark.history.rates_window import AT, RateWindow

PARTITION = ("cluster", "topic", "partition")


def ends_of(offsets: DataFrame, window: RateWindow) -> DataFrame:
    """A row a partition and instant, with its `end`, the highest that a group of it was told.

    `before` is its neighbour (`at`, `value`), `broke` the last instant at which the end had fallen.
    `written` tells whether it ever rose.
    """
    ends = (
        window.placed(offsets)
        .groupBy(*PARTITION, AT, SNAPSHOT)
        .agg(F.max(known_offset("end_offset")).alias("end"))
        .withColumn("before", neighbour("end", in_time(*PARTITION)))
    )
    every = Window.partitionBy(*PARTITION)
    broke = F.max(F.when(fell("end", "before"), F.col(AT)))
    written = F.bool_or(F.col("end") > F.col("before.value"))
    return ends.withColumns({"broke": broke.over(every), "written": written.over(every)})


def rates_of(ends: DataFrame, quantile: float, doubts: Sequence[Doubt]) -> DataFrame:
    """A row a partition: see `FleetRates.rates`."""
    pairs = ends.withColumns(
        {"rate": rate("end", "before", doubts), "resets": resets("end", "before", doubts)}
    )
    rates = pairs.groupBy(*PARTITION).agg(
        F.max(SNAPSHOT).alias("last_seen"),
        *summary(quantile),
    )
    return escaped_rows(rates)


def pairs_of(ends: DataFrame, doubts: Sequence[Doubt]) -> DataFrame:
    """A row a partition with its `pairs` in order of time: see `FleetRates.pairs`."""
    pairs = ends.where("before is not null and end is not null").withColumns(
        {"since": F.col(f"before.{AT}"), "rate": rate("end", "before", doubts)}
    )
    pair = F.struct("since", AT, "rate")
    grouped = pairs.groupBy(*PARTITION).agg(F.sort_array(F.collect_list(pair)).alias("pairs"))
    return escaped_rows(grouped)


def summary(quantile: float) -> list[Column]:
    """Of the pairs of a series: mean, quantile and maximum of their rates, and their number."""
    return [
        F.avg("rate").alias("mean"),
        F.percentile("rate", quantile).alias("quantile"),
        F.max("rate").alias("maximum"),
        F.count("rate").alias("pairs"),
        F.count_if("resets").alias("resets"),
    ]


def history_of_ends(ends: DataFrame) -> DataFrame:
    """A row a partition with its `ends` (`at`, `end`) in order of time, since they last fell."""
    unbroken = ends.where(f"end is not null and {AT} >= ifnull(broke, {AT})")
    point = F.struct(AT, "end")
    return unbroken.groupBy(*PARTITION).agg(F.sort_array(F.collect_list(point)).alias("ends"))
