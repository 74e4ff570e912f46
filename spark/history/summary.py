"""Where a history is worth a look: groups that rebalance most, that got worse, that fall behind."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, functions as F

from optimizer.advice import LEVELS
from optimizer.figures import NO_FIGURE, counted, duration, figure
from spark.fleet import PARTITION_KEYS
from spark.groups import GROUP_KEYS
from spark.history.timeline import RateWindow, hours_between
from spark.store import SNAPSHOT

_SUMS = ("moves", "takeovers", "avoidable_moves")


WEEK = 7 * 24
"""Hours."""


def restless(
    changes: DataFrame, rebalances: DataFrame, snapshots: Mapping[str, Sequence[str]]
) -> DataFrame:
    """A row a group with rebalances or partitions that changed hands, the most restless first.

    `generations` are its rebalances, `per_day` those in a day of the time that its cluster's
    `snapshots` cover, `this_week` those of its last seven days and `last_week` those of the seven
    before, null where the snapshots don't reach back so far. `most_per_hour` is the highest rate
    between two snapshots, `cause` the commonest one; `moves`, `takeovers` and `avoidable` (moves)
    are sums over all its changes.
    """
    ends = [(cluster, ids[0], ids[-1]) for cluster, ids in snapshots.items() if ids]
    spans = changes.sparkSession.createDataFrame(ends, "cluster string, since string, until string")
    covered, ago = (
        hours_between(F.col("since"), F.col("until")),
        hours_between(F.col(SNAPSHOT), F.col("until")),
    )
    dated = rebalances.join(F.broadcast(spans), "cluster").withColumns(
        {"ago": ago, "covered": covered}
    )

    def of_week(weeks: int) -> Column:
        is_in = (F.col("ago") >= weeks * WEEK) & (F.col("ago") < (weeks + 1) * WEEK)
        times = F.sum(F.when(is_in, F.col("generations")).otherwise(0))
        return F.when(F.max("covered") > weeks * WEEK, times)

    of_rebalances = dated.groupBy(*GROUP_KEYS).agg(
        F.sum("generations").alias("generations"),
        F.try_divide(F.sum("generations") * 24.0, F.max("covered")).alias("per_day"),
        of_week(0).alias("this_week"),
        of_week(1).alias("last_week"),
        F.max("per_hour").alias("most_per_hour"),
        F.mode("cause", deterministic=True).alias("cause"),
    )
    of_changes = changes.groupBy(*GROUP_KEYS).agg(
        F.sum("moves").alias("moves"),
        F.sum("takeovers").alias("takeovers"),
        F.sum("avoidable_moves").alias("avoidable"),
    )
    rows = of_rebalances.join(of_changes, list(GROUP_KEYS), "full")
    order = (F.desc_nulls_last(name) for name in ("generations", "moves", "takeovers"))
    items = rows.where("generations > 0 or moves > 0 or takeovers > 0")
    return items.orderBy(*order, *GROUP_KEYS)


def worse(states: DataFrame) -> DataFrame:
    """A row a group whose `excess` is higher in the last snapshot with one than in the first."""

    def ends(column: str) -> list[Column]:
        return [
            F.min_by(column, SNAPSHOT).alias(f"{column}_first"),
            F.max_by(column, SNAPSHOT).alias(f"{column}_last"),
        ]

    entries = states.where("excess is not null").groupBy(*GROUP_KEYS)
    rows = entries.agg(
        F.min(SNAPSHOT).alias("first"),
        F.max(SNAPSHOT).alias("last"),
        *ends("excess"),
        *ends("lag"),
    )
    risen = F.col("excess_last") - F.col("excess_first")
    return rows.where(risen > 0).orderBy(risen.desc(), *GROUP_KEYS)


def totals(states: DataFrame, changes: DataFrame, rebalances: DataFrame) -> str:
    """What the whole fleet went through, and how many groups are uneven at its end."""
    of_changes = changes.agg(
        F.count("*").alias("changes"),
        *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _SUMS),
    )
    of_rebalances = rebalances.agg(
        F.coalesce(F.sum("generations"), F.lit(0)).alias("generations"),
        F.count_if("remade").alias("remade"),
    )
    row = of_changes.crossJoin(of_rebalances).crossJoin(_uneven(states)).collect()[0]
    remade = f"; {row.remade:,} groups were deleted and created again" if row.remade else ""
    return (
        f"{row.generations:,} rebalances and {row.changes:,} changes: {row.moves:,} partitions "
        f"moved, {row.avoidable_moves:,} of them needlessly, and {row.takeovers:,} were taken over"
        f"{remade}. "
        f"Uneven by count in the last snapshot: {row.uneven:,} of {counted(row.measured, 'group')} "
        f"({row.uneven_at_first:,} in the first)."
    )


_LEVELS = " or ".join(
    f"excess >= {level.least} and max_load >= {level.ratio}D * (max_load - excess)"
    for level in LEVELS["count"].values()
)
_UNEVEN = f"excess > 0 and max_load > excess and ({_LEVELS})"
"""SQL text: a group's severity is `info` or worse, by the audit's levels."""


def _uneven(states: DataFrame) -> DataFrame:
    """How many groups are uneven in the first and in the last snapshot of their clusters."""
    of_snapshot = states.groupBy("cluster", SNAPSHOT).agg(
        F.count_if(F.expr(_UNEVEN)).alias("uneven"),
        F.count("excess").alias("measured"),
    )
    ends = of_snapshot.groupBy("cluster").agg(
        F.min_by("uneven", SNAPSHOT).alias("first"),
        *(F.max_by(name, SNAPSHOT).alias(name) for name in ("uneven", "measured")),
    )
    names = {"uneven": "uneven", "measured": "measured", "first": "uneven_at_first"}
    return ends.agg(
        *(F.coalesce(F.sum(name), F.lit(0)).alias(alias) for name, alias in names.items())
    )


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
