"""The groups that fall behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.figures import figure
from spark.groups import GROUP_KEYS
from spark.history.rates_ends import PARTITION
from spark.history.rates_window import RateWindow

BEHIND = {
    "behind": "count_if(falls_behind)",
    "partitions": "count(*)",
    "lag": "try_sum(lag) filter (where falls_behind)",
    "lag_trend": "sum(lag_trend) filter (where falls_behind)",
    "oldest": "max(struct(lag_seconds, at_least)) filter (where falls_behind)",
}
"""SQL text over the partitions of a group."""

UNITS = {"d": 86_400, "h": 3_600, "min": 60}


def groups_behind(consumption: DataFrame, window: RateWindow) -> DataFrame:
    """A row (cluster, group) for each group that fell behind when its cluster was last looked at.

    It does so on `behind` of its `partitions`, whose `lag` and `lag_trend` are summed up;
    `lag_seconds` and `at_least` are those of the worst. That lag in seconds comes first.
    """
    grouped = still_there(consumption, window).groupBy(*GROUP_KEYS)
    of_group = grouped.agg(*(F.expr(text).alias(name) for name, text in BEHIND.items()))
    return (
        of_group.where("behind > 0")
        .select(*GROUP_KEYS, "behind", "partitions", "lag", "lag_trend", "oldest.*")
        .orderBy(F.desc_nulls_last("lag_seconds"), F.desc("lag"), *GROUP_KEYS)
    )


def busiest(rates: DataFrame, window: RateWindow) -> DataFrame:
    """The partitions that are still there and have a rate, the one with the highest mean first."""
    return (still_there(rates, window).where("pairs > 0").orderBy(F.desc("mean"), *PARTITION)).drop(
        "last_seen"
    )


def still_there(rows: DataFrame, window: RateWindow) -> DataFrame:
    """What the last snapshot of its cluster has."""
    last = rows.sparkSession.createDataFrame(
        [(cluster, snapshot[-1]) for cluster, snapshot in window.snapshots.items()],
        "cluster string, last_seen string",
    )
    return rows.join(F.broadcast(last), ["cluster", "last_seen"], "left_semi")


def summary_of_group(row: Mapping[str, Any]) -> str:
    """A sentence on a row of `groups_behind`."""
    late = (
        f"{figure(row['lag'])} records"
        if row["lag"] is not None
        else "more records than can be counted"
    )
    if row["lag_seconds"] is not None:
        least = "at least " if row["at_least"] else ""
        late += f", {least}{_time(row['lag_seconds'])}"
    return (
        f"Group {row['group']} of cluster {row['cluster']} falls behind on {row['behind']} of "
        f"{row['partitions']} partition{'s' * (row['partitions'] != 1)}: it is late by {late}, and "
        f"by {figure(row['lag_trend'])} more records each second."
    )


def _time(seconds: float) -> str:
    for unit, length in UNITS.items():
        if seconds >= length:
            return f"{figure(seconds / length)} {unit}"
    return f"{seconds:.0f} s"
