"""The groups that fall behind."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.figures import NO_FIGURE, counted, duration, figure
from spark.fleet import PARTITION_KEYS
from spark.groups import GROUP_KEYS
from spark.history.timeline import RateWindow

BEHIND = {
    "behind": "count_if(falls_behind)",
    "partitions": "count(*)",
    "lag": "try_sum(lag) filter (where falls_behind)",
    "lag_trend": "sum(lag_trend) filter (where falls_behind)",
    "oldest": "max(struct(lag_seconds, at_least)) filter (where falls_behind)",
}
"""SQL text over the partitions of a group."""


def groups_behind(consumption: DataFrame, window: RateWindow) -> DataFrame:
    """A row (cluster, group) for each group that fell behind when its cluster was last examined.

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
    return (
        still_there(rates, window).where("pairs > 0").orderBy(F.desc("mean"), *PARTITION_KEYS)
    ).drop("last_seen")


def still_there(rows: DataFrame, window: RateWindow) -> DataFrame:
    """What the last snapshot of its cluster has."""
    last = rows.sparkSession.createDataFrame(
        [(cluster, snapshot[-1]) for cluster, snapshot in window.snapshots.items()],
        "cluster string, last_seen string",
    )
    return rows.join(F.broadcast(last), ["cluster", "last_seen"], "left_semi")


def behind_for_people(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `groups_behind` as people read it: counts in one column, the age in its unit."""
    return {
        **{key: row[key] for key in GROUP_KEYS},
        "partitions": f"{row['behind']:,} of {row['partitions']:,}",
        "lag": row["lag"],
        "lag time": _age(row),
        "lag growth/s": row["lag_trend"],
    }


def behind_verdict(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many groups fall behind, and the first of the rows of `groups_behind` in words."""
    if not rows:
        return "No group falls behind."
    worst = rows[0]
    ages = [_age(worst)] if worst["lag_seconds"] is not None else []
    lags = [f"{figure(worst['lag'])} records"] if worst["lag"] is not None else []
    late = f" ({', '.join([*lags, *ages])})" if lags or ages else ""
    return (
        f"{counted(len(rows), 'group')} {'falls' if len(rows) == 1 else 'fall'} behind: lag grew "
        f"in the window, and still grows. Worst: {worst['group']} of {worst['cluster']}{late}."
    )


def _age(row: Mapping[str, Any]) -> str:
    """`54 s`; `≥ 1 d` where the window begins later than the record was written."""
    if row["lag_seconds"] is None:
        return NO_FIGURE
    return ("≥ " if row["at_least"] else "") + duration(row["lag_seconds"])
