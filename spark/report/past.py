"""What a report tells of the past: the snapshot before, and a history up to now."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.fleet import FleetSnapshot, Part, compositions, is_like, is_named, whole
from spark.history import hours_between, lags_of
from spark.plan import IDLE_TO_BUSY, plan_fleet
from spark.report.sums import MEASURES, figures_of, merged, sums_of
from spark.settings import Settings
from spark.store import SNAPSHOT, Where, source_of


def fleet_before(
    session: SparkSession, store: Where, fleet: FleetSnapshot, settings: Settings
) -> FleetSnapshot | None:
    """The fleet in the snapshots before; None where there are none, or they can't be read."""
    try:
        older = compositions(session, store, whole(session, store, fleet.id), settings.max_age)[1]
        result = FleetSnapshot.compose(session, store, older) if older else None
        return result.matching(*fleet.part) if result else None
    except InputError:
        return None


def figures_before(previous: FleetSnapshot | None) -> dict[str, Any] | None:
    if previous is None:
        return None
    with plan_fleet(previous) as plan:
        return _figures_of_plan(previous, plan.solved)


def _figures_of_plan(fleet: FleetSnapshot, solved: DataFrame) -> dict[str, Any]:
    measured = solved.withColumn("idle_to_busy", F.expr(IDLE_TO_BUSY))
    columns = (
        "cluster",
        "group",
        "status",
        "members",
        "idle_to_busy",
        *MEASURES,
        *("current_max_load", "uneven", "now_to_best"),
    )
    return figures_of(sums_of(merged(measured.select(*columns), [lags_in(fleet)])))


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
    result = {}
    for name in ("states", "changes", "rebalances"):
        ids = [text for text in source.ids(name) if text <= fleet.id]
        if rows := [values.rows for values in source.read_several(session, name, ids)]:
            result[name] = reduce(DataFrame.unionByName, rows)
    if "states" not in result:
        raise InputError(f"{out} has no history up to snapshot {fleet.id}: make it by `history`")
    return {name: rows.where(fits(fleet.part)) for name, rows in result.items()}


def fits(part: Part) -> Column:
    """Whether a row is about that part of a fleet."""
    of_cluster = F.lit(True) if part.cluster is None else is_named("cluster", [part.cluster])
    of_group = F.lit(True) if part.group is None else is_like("group", part.group)
    return of_cluster & of_group
