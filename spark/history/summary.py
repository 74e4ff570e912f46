"""Where a history is worth a look: groups that rebalance most, that got worse, that fall behind."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, Window, functions as F

from optimizer.advice import LEVELS
from optimizer.figures import NO_FIGURE, duration, figure, plural
from spark.fleet import PARTITION_KEYS
from spark.groups import GROUP_KEYS
from spark.history.change_row import NONE_SEEN
from spark.history.timeline import RateWindow, hours_between
from spark.store import SNAPSHOT

WEEK = 7 * 24
"""Hours."""


def restless(
    changes: DataFrame, rebalances: DataFrame, snapshots: Mapping[str, Sequence[str]]
) -> DataFrame:
    """A row a group with rebalances or partitions that changed hands, the most restless first.

    `per_day` are its `rebalances` in a day of the time that its cluster's
    `snapshots` cover, `this_week` those of its last seven days and `last_week` those of the seven
    before, null where the snapshots don't reach back so far. `most_per_hour` is the highest rate
    between two snapshots, `cause` the commonest that was seen, `unknown` how many have none.
    `moves`, `takeovers` and `avoidable` (moves) are sums over all its changes.
    """
    ends = [(cluster, ids[0], ids[-1]) for cluster, ids in snapshots.items() if ids]
    spans = changes.sparkSession.createDataFrame(ends, "cluster string, since string, until string")
    covered = hours_between(F.col("since"), F.col("until"))
    ago = hours_between(F.col(SNAPSHOT), F.col("until"))
    dated = rebalances.join(F.broadcast(spans), "cluster").withColumns(
        {"ago": ago, "covered": covered}
    )

    is_unknown = F.col("cause") == NONE_SEEN

    def of_week(weeks: int) -> Column:
        is_in = (F.col("ago") >= weeks * WEEK) & (F.col("ago") < (weeks + 1) * WEEK)
        times = F.sum(F.when(is_in, F.col("generations")).otherwise(0))
        return F.when(F.max("covered") > weeks * WEEK, times)

    of_rebalances = dated.groupBy(*GROUP_KEYS).agg(
        F.sum("generations").alias("rebalances"),
        F.try_divide(F.sum("generations") * 24.0, F.max("covered")).alias("per_day"),
        of_week(0).alias("this_week"),
        of_week(1).alias("last_week"),
        F.max("per_hour").alias("most_per_hour"),
        F.mode(F.when(~is_unknown, F.col("cause")), deterministic=True).alias("cause"),
        F.coalesce(F.sum(F.when(is_unknown, F.col("generations"))), F.lit(0)).alias("unknown"),
    )
    of_changes = changes.groupBy(*GROUP_KEYS).agg(
        F.sum("moves").alias("moves"),
        F.sum("takeovers").alias("takeovers"),
        F.sum("avoidable_moves").alias("avoidable"),
    )
    rows = of_rebalances.join(of_changes, list(GROUP_KEYS), "full")
    order = (F.desc_nulls_last(name) for name in ("rebalances", "moves", "takeovers"))
    restless_rows = rows.where("rebalances > 0 or moves > 0 or takeovers > 0")
    return restless_rows.orderBy(*order, *GROUP_KEYS)


def worse(states: DataFrame) -> DataFrame:
    """A row a group whose `excess` is higher in the last snapshot with one than in the first."""

    def ends(column: str) -> list[Column]:
        return [
            F.min_by(column, SNAPSHOT).alias(f"{column}_first"),
            F.max_by(column, SNAPSHOT).alias(f"{column}_last"),
        ]

    of_group = states.where("excess is not null").groupBy(*GROUP_KEYS)
    rows = of_group.agg(
        F.min(SNAPSHOT).alias("first"),
        F.max(SNAPSHOT).alias("last"),
        *ends("excess"),
        *ends("lag"),
    )
    risen = F.col("excess_last") - F.col("excess_first")
    return rows.where(risen > 0).orderBy(risen.desc(), *GROUP_KEYS)


def left_behind(states: DataFrame) -> DataFrame:
    """A row a group that has lag and no `members` in the last snapshot of its cluster."""
    newest = F.max(SNAPSHOT).over(Window.partitionBy("cluster"))
    last = states.withColumn("newest", newest).where(f"{SNAPSHOT} = newest")
    return last.where("members = 0 and lag > 0").select(*GROUP_KEYS, "members", "lag")


CURES = {
    "recreated": "find out what deletes it",
    "restart": "give its members a group.instance.id, so that a quick restart moves nothing",
    "join": "look at what starts its members so often",
    "crash": "look in its members' logs for why they end",
    "leave": "stop its members one after the other",
    "topic change": "its topics or subscriptions change",
    None: "look in its members' logs for polls longer than max.poll.interval.ms",
}
"""Advice on the commonest cause of a group's rebalances."""


def most_restless(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first of the rows of `restless` in words, and what to do; empty where all are at rest."""
    if not rows or not rows[0]["rebalances"]:
        return ""
    row, cause = rows[0], rows[0]["cause"]
    times = plural(row["rebalances"], "time") + (f", by {cause}" if cause else "")
    return f"{row['group']} of {row['cluster']} rebalanced most ({times}): {CURES[cause]}."


def totals(rows: Sequence[Mapping[str, Any]], states: DataFrame, rebalances: DataFrame) -> str:
    """Totals of the whole fleet, by rows of `restless`; how many groups end uneven."""

    def total(name: str) -> int:
        return sum(row[name] or 0 for row in rows)

    last = rebalances.agg(F.count_if("remade").alias("remade")).crossJoin(_uneven(states)).first()
    assert last
    unknown = f" (cause unknown for {total('unknown'):,})" if total("unknown") else ""
    remade = f"{plural(last.remade, 'group')} made again, " if last.remade else ""
    return (
        f"{plural(total('rebalances'), 'rebalance')}{unknown}: {remade}"
        f"{plural(total('moves'), 'partition')} moved, {total('avoidable'):,} of them needlessly; "
        f"{total('takeovers'):,} taken over from members that left. Uneven by count: "
        f"{last.uneven:,} of {plural(last.measured, 'group')} ({last.uneven_at_first:,} at first)."
    )


_LEVELS = " or ".join(
    f"excess >= {level.least} and max_load >= {level.ratio}D * (max_load - excess)"
    for level in LEVELS["count"].values()
)
_UNEVEN = f"excess > 0 and max_load > excess and ({_LEVELS})"
"""SQL text: a group's severity is info or worse, by the audit's levels."""


def _uneven(states: DataFrame) -> DataFrame:
    """Groups that are uneven in the first and in the last snapshot of their clusters."""
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
    "all_lag": "try_sum(lag)",
    "lag_trend": "sum(lag_trend) filter (where falls_behind)",
    "oldest": "max(struct(lag_seconds, at_least)) filter (where falls_behind)",
}
"""SQL text over the partitions of a group."""


def groups_behind(consumption: DataFrame, present: DataFrame, window: RateWindow) -> DataFrame:
    """A row (cluster, group) for each group that is behind where its cluster was last examined.

    It falls behind on `behind` of its `partitions`, whose `lag` and `lag_trend` are summed up;
    `lag_seconds` and `at_least` are those of the worst. That lag in seconds comes first; `members`
    are those `present`, and groups without any come last, with all their lag.
    """
    grouped = still_there(consumption, window).groupBy(*GROUP_KEYS)
    of_group = grouped.agg(*(F.expr(text).alias(name) for name, text in BEHIND.items()))
    rows = of_group.join(present, [*GROUP_KEYS], "left").fillna(0, ["members"])
    return (
        rows.where("behind > 0 or (members = 0 and all_lag > 0)")
        .withColumn("lag", F.expr("if(members = 0, all_lag, lag)"))
        .select(*GROUP_KEYS, "members", "behind", "partitions", "lag", "lag_trend", "oldest.*")
        .orderBy(
            F.expr("members = 0"), F.desc_nulls_last("lag_seconds"), F.desc("lag"), *GROUP_KEYS
        )
    )


def busiest(rates: DataFrame, window: RateWindow) -> DataFrame:
    """The partitions that are still there and have a rate, the one with the highest mean first."""
    return (
        still_there(rates, window).where("pairs > 0").orderBy(F.desc("mean"), *PARTITION_KEYS)
    ).drop("last_seen")


def still_there(rows: DataFrame, window: RateWindow) -> DataFrame:
    """Rows that the last snapshot of their cluster has."""
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
    """Groups with members that fall behind: their number, and the first in words."""
    late = [row for row in rows if row["members"]]
    if not late:
        return "No group falls behind."
    worst = late[0]
    ages = [_age(worst)] if worst["lag_seconds"] is not None else []
    lags = [f"{figure(worst['lag'])} records"] if worst["lag"] is not None else []
    behind = f" ({', '.join([*lags, *ages])})" if lags or ages else ""
    return (
        f"{plural(len(late), 'group')} {'falls' if len(late) == 1 else 'fall'} behind: lag grew "
        f"in the window, and still grows. Worst: {worst['group']} of {worst['cluster']}{behind}."
    )


def abandoned_lag(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence on the lag of groups without members, if there is any."""
    lags = [row["lag"] or 0 for row in rows if not row["members"]]
    groups = f"{plural(len(lags), 'group')} without members"
    lag = f"{plural(sum(lags), 'record')} of lag: start members, or delete the offsets."
    return [f"{groups} {'has' if len(lags) == 1 else 'have'} {lag}"] if lags else []


def _age(row: Mapping[str, Any]) -> str:
    """`54 s`; `≥ 1 d` where the window begins later than the record was written."""
    if row["lag_seconds"] is None:
        return NO_FIGURE
    return ("≥ " if row["at_least"] else "") + duration(row["lag_seconds"])
