"""Traffic of reads across racks, in bytes and money."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import Column, DataFrame, functions as F

from spark.fleet import FleetSnapshot
from spark.plan.fleet_plan import FleetPlan
from spark.settings import FleetGoals

SECONDS_A_DAY = 86_400
BYTES_A_GB = 1e9


def cross_rack_traffic(
    plan: FleetPlan, snapshot: FleetSnapshot, price_per_gb: float = 0.0
) -> DataFrame:
    """Bytes a day that each planned group reads across racks, now and planned.

    A row has cluster, group, current_bytes and planned_bytes, and current_cost and planned_cost by
    `price_per_gb`. A partition's weight is taken for its bytes a second; one without a weight, and
    one of which or of whose reader the rack isn't known, counts for nothing. Groups whose goals
    have no racks are left out.
    """
    rack = F.get_json_object("goals", "$.rack").alias("meaning")
    groups = plan.groups.where("max_load is not null").select("cluster", "group", rack)
    partitions = snapshot.tables["partitions"].select(
        *("cluster", "topic", "partition", "leader_rack", "replica_racks"),
        F.coalesce("weight", F.lit(0.0)).alias("weight"),
    )
    members = snapshot.tables["members"].select("cluster", "group", "member_id", "rack")
    reads = (
        plan.assignments.join(groups.where("meaning is not null"), ["cluster", "group"])
        .join(partitions, ["cluster", "topic", "partition"])
        .withColumn("stays_owned", F.col("action").isin("keep", "move"))
    )
    for who in ("member_id", "previous_member_id"):
        named = members.withColumnsRenamed({"member_id": who, "rack": f"rack_of_{who}"})
        reads = reads.join(named, ["cluster", "group", who], "left")
    read_now = F.when(F.col("stays_owned"), _bytes("rack_of_previous_member_id"))
    sums = reads.groupBy("cluster", "group").agg(
        F.coalesce(F.sum(read_now), F.lit(0.0)).alias("current_bytes"),
        F.coalesce(F.sum(_bytes("rack_of_member_id")), F.lit(0.0)).alias("planned_bytes"),
    )
    return sums.withColumns(
        {
            f"{when}_cost": F.col(f"{when}_bytes") / BYTES_A_GB * price_per_gb
            for when in ("current", "planned")
        }
    )


@contextmanager
def kept_traffic(
    plan: FleetPlan, snapshot: FleetSnapshot, goals: FleetGoals, price_per_gb: float
) -> Iterator[DataFrame | None]:
    """The traffic of each group across racks, kept meanwhile; None without racks or weights."""
    weighed = snapshot.tables["partitions"].where("weight is not null")
    if not goals.need_racks or weighed.isEmpty():
        yield None
        return
    traffic = cross_rack_traffic(plan, snapshot, price_per_gb).persist()
    try:
        yield traffic
    finally:
        traffic.unpersist()


def traffic_of_fleet(traffic: DataFrame, price_per_gb: float) -> list[dict[str, Any]]:
    """The fleet's traffic across racks: a row for now and one as planned."""
    sums = traffic.groupBy().sum().collect()[0]
    return [
        {
            "across_racks": text,
            "gigabytes_a_day": (sums[f"sum({when}_bytes)"] or 0.0) / BYTES_A_GB,
            **({"cost_a_day": sums[f"sum({when}_cost)"] or 0.0} if price_per_gb else {}),
        }
        for when, text in (("current", "now"), ("planned", "planned"))
    ]


def _bytes(rack: str) -> Column:
    """Bytes a day of a partition, if who is in `rack` reads it across racks."""
    replicas = F.array_compact(F.coalesce("replica_racks", F.array()))
    racks = F.filter(
        F.when(F.col("meaning") == "leader", F.array("leader_rack")).otherwise(replicas),
        lambda name: name.isNotNull() & (name != ""),
    )
    is_remote = (F.col(rack) != "") & (F.size(racks) > 0) & ~F.array_contains(racks, F.col(rack))
    return F.when(is_remote, F.col("weight") * SECONDS_A_DAY)
