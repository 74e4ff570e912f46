"""Rows that a report shows: summed up by Spark, few for a fleet of any size."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions as F

from optimizer.strategies import OPTIMAL
from spark.errors import InputError
from spark.fleet import (
    GROUP_KEYS,
    UNEVEN,
    FleetSnapshot,
    as_rows,
    escaped_rows,
    worst_first,
)
from spark.history import hours_between, lags_of
from spark.plan import IDLE_TO_BUSY, plan_fleet
from spark.settings import CURRENT, FleetGoals
from spark.solve import LevelsOf
from spark.store import SNAPSHOT, source_of

MEASURES = (
    *("max_load", "min_load", "sum_squares", "moves", "takeovers"),
    *("local_reads", "remote_reads", "current_local_reads", "current_remote_reads"),
    "balance_optimal",
)
"""Columns that a plan measures of each group."""

OWNER = "if(action = 'takeover', null, previous_member_id)"
"""SQL text over a plan's assignments: the member that has the partition now."""

LOADS = 25
"""Members of a group that the page shows: those whose loads change most."""

NAMES = 1_000
"""Topics, hosts and members of a group by which the page's search finds it."""

Rows = list[dict[str, Any]]


FIGURES = {
    "groups": "count(*)",
    "members": "sum(members)",
    "unplanned": "count_if(max_load is null)",
    "uneven": f"count_if({UNEVEN})",
    "idle": "sum(idle_to_busy)",
    "moves": "sum(moves)",
    "remote": "sum(current_remote_reads)",
    "planned_remote": "sum(remote_reads)",
    "lag": "sum(lag) filter (where status != 'empty')",
    "abandoned": "sum(lag) filter (where status = 'empty')",
}
"""SQL text over rows of groups; what isn't known of any group is null.

`uneven` groups, `idle` members that could have work, what is read across racks now (`remote`) and
planned, the `lag` of groups that have members, and that of the others.
"""


def figures_by_cluster(groups: DataFrame) -> Rows:
    """A row a cluster with these `FIGURES`; `groups` are those of `merge`, or solved ones."""
    figures = (F.expr(text).alias(name) for name, text in FIGURES.items())
    return as_rows(groups.groupBy("cluster").agg(*figures).orderBy("cluster"))


def figures_of(clusters: Rows) -> dict[str, Any]:
    """The figures of all clusters together."""
    columns = {name: [row[name] for row in clusters if row[name] is not None] for name in FIGURES}
    counted = "groups", "members", "uneven", "idle"
    return {
        name: sum(numbers) if numbers or name in counted else None
        for name, numbers in columns.items()
    }


def clusters_of(fleet: FleetSnapshot, figures: Rows, findings: DataFrame) -> Rows:
    """The rows of clusters with their instants, and how many findings are warnings or worse."""
    bad = findings.groupBy("cluster").agg(F.count_if(F.col("severity") != "info").alias("findings"))
    counts = {row["cluster"]: row["findings"] for row in bad.collect()}
    return [
        row
        | {"moves": row["moves"] or 0, "findings": counts.get(row["cluster"], 0)}
        | {"instant": fleet.instants[row["cluster"]]}
        for row in figures
    ]


def worst_groups(groups: DataFrame, most: int) -> Rows:
    """The groups whose largest load is furthest above the best possible, then the largest ones."""
    return as_rows(groups.orderBy(*worst_first()).limit(most))


def merge(groups: DataFrame, beside: Sequence[DataFrame]) -> DataFrame:
    """A row a group of `groups`, with the columns of what is `beside` it, by one grouping."""
    frames = {"groups": groups, **{f"part{at}": frame for at, frame in enumerate(beside)}}
    united = reduce(
        lambda rows, more: rows.unionByName(more, allowMissingColumns=True),
        (
            frame.select(
                *GROUP_KEYS,
                F.struct(*(c for c in frame.columns if c not in GROUP_KEYS)).alias(name),
            )
            for name, frame in frames.items()
        ),
    )
    grouped = united.groupBy(*GROUP_KEYS).agg(
        *(F.first(name, ignorenulls=True).alias(name) for name in frames)
    )
    return grouped.where("groups is not null").select(
        *GROUP_KEYS, *(f"{name}.*" for name in frames)
    )


def loads_of(assignments: DataFrame, members: DataFrame) -> DataFrame:
    """`loads`: how many partitions each member of a group has `now` and `planned`."""
    counts = [
        assignments.select(*GROUP_KEYS, F.expr(OWNER).alias("member"), F.lit(1), F.lit(0)),
        assignments.select(*GROUP_KEYS, "member_id", F.lit(0), F.lit(1)),
        escaped_rows(members.select(*GROUP_KEYS, "member_id")).select("*", F.lit(0), F.lit(0)),
    ]
    rows = reduce(DataFrame.unionAll, counts).toDF(*GROUP_KEYS, "member", "now", "planned")
    sums = rows.where("member is not null").groupBy(*GROUP_KEYS, "member")
    loads = sums.agg(F.sum("now").alias("now"), F.sum("planned").alias("planned"))
    load = F.struct(F.expr("abs(now - planned)"), "now", "planned", "member")
    most_changed = F.sort_array(F.collect_list(load), asc=False)
    return loads.groupBy(*GROUP_KEYS).agg(F.slice(most_changed, 1, LOADS).alias("loads"))


def findings_by_group(findings: DataFrame) -> DataFrame:
    """`found`: the severity and kind of each finding about a group."""
    kinds = F.collect_set(F.struct("severity", "finding")).alias("found")
    return findings.where("`group` is not null").groupBy(*GROUP_KEYS).agg(kinds)


def names_of(fleet: FleetSnapshot) -> DataFrame:
    """`names`: the topics, hosts and members of each group, and topics that it has offsets of."""
    columns = [
        ("subscriptions", "topic"),
        ("offsets", "topic"),
        ("members", "host"),
        ("members", "member_id"),
    ]
    rows = [
        fleet.tables[table].select(*GROUP_KEYS, F.ltrim(column, F.lit("/")).alias("name"))
        for table, column in columns
        if table in fleet.tables and column in fleet.tables[table].columns
    ]
    named = escaped_rows(reduce(DataFrame.unionAll, rows).where("name is not null"))
    names = F.slice(F.sort_array(F.collect_set("name")), 1, NAMES).alias("names")
    return named.groupBy(*GROUP_KEYS).agg(names)


def weights_of(comparison: DataFrame) -> DataFrame:
    """The largest load by weight ÷ the proven bound, now (`weight`) and with the plan."""
    ratio = "max(max_weight / weight_bound) filter (where strategy = '{}')"
    now, planned = (F.expr(ratio.format(name)) for name in (CURRENT, OPTIMAL))
    bounded = comparison.where("weight_bound > 0").groupBy(*GROUP_KEYS)
    return bounded.agg(now.alias("weight"), planned.alias("planned_weight"))


def figures_before(
    previous: FleetSnapshot | None, goals: FleetGoals, levels: LevelsOf
) -> dict[str, Any] | None:
    """The figures of the fleet in the snapshots before, by the same goals and levels as now."""
    if previous is None:
        return None
    with plan_fleet(previous, goals=goals, levels=levels) as plan:
        measured = plan.solved.withColumn("idle_to_busy", F.expr(IDLE_TO_BUSY))
        columns = *GROUP_KEYS, "status", "members", "idle_to_busy", "uneven", *MEASURES
        return figures_of(figures_by_cluster(merge(measured.select(*columns), [lags_in(previous)])))


def lags_in(fleet: FleetSnapshot) -> DataFrame:
    """Each group's `lag`; no rows where the snapshot has none."""
    if "offsets" in fleet.tables:
        return lags_of(fleet.tables)
    nobody = fleet.tables["members"].select("cluster", "group").limit(0)
    return nobody.withColumn("lag", F.lit(None).cast("long"))


def rebalances_a_day(past: dict[str, DataFrame]) -> Iterator[DataFrame]:
    """`rebalances` of each group a day, over the time that the history covers, if it has any."""
    if "rebalances" not in past:
        return
    span = (
        past["states"]
        .groupBy("cluster")
        .agg(F.min(SNAPSHOT).alias("first"), F.max(SNAPSHOT).alias("last"))
    )
    days = span.withColumn("days", hours_between(F.col("first"), F.col("last")) / 24)
    times = (
        past["rebalances"]
        .groupBy("cluster", "group")
        .agg(F.sum(F.coalesce("generations", F.lit(1))).alias("times"))
    )
    a_day = F.try_divide("times", "days").alias("rebalances")
    yield times.join(days, "cluster").select("cluster", "group", a_day)


def past_of(session: SparkSession, out: str | None, fleet: FleetSnapshot) -> dict[str, DataFrame]:
    """The tables of a history up to this snapshot, with a column `snapshot`."""
    if out is None:
        return {}
    source = source_of(session, out)
    tables = {}
    for name in ("states", "changes", "rebalances"):
        ids = [text for text in source.ids(name) if text <= fleet.id]
        if rows := [part.rows for part in source.read_several(session, name, ids)]:
            tables[name] = reduce(DataFrame.unionByName, rows)
    if "states" not in tables:
        raise InputError(f"{out} has no history up to snapshot {fleet.id}: make it by `history`")
    return {name: rows.where(fleet.part.has_row()) for name, rows in tables.items()}
