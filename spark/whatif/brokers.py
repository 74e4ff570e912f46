"""What becomes of leaders when brokers are down, and who can't read meanwhile."""

from collections.abc import Collection
from typing import Any

from pyspark.sql import DataFrame, functions as F

from spark.fleet import FleetSnapshot, escaped_rows
from spark.groups import GROUP_KEYS


def outage_of(snapshot: FleetSnapshot, down: Collection[int]) -> dict[str, list[dict[str, Any]]]:
    """What becomes of leaders while these are down, and which groups can't read, by table."""
    if not down:
        return {}
    tables = {
        "leaders": leaders_after(snapshot, down),
        "without leader": without_leader(snapshot, down),
        "groups hit": groups_hit(snapshot, down),
    }
    return {
        name: [row.asDict(recursive=True) for row in table.collect()]
        for name, table in tables.items()
    }


def leaders_after(snapshot: FleetSnapshot, down: Collection[int]) -> DataFrame:
    """A row (cluster, broker), of clusters where any of these leads: what each broker leads.

    `leads_before`, `leads_after`: partitions; `weight_gained`: the weight of those that it leads
    then and didn't before, null where none is known. The first replica in sync that is up leads
    then (OfflinePartitionLeaderElection).
    """
    led = _led(snapshot, down)
    hit = led.where("is_down").select("cluster").distinct()
    sides = [
        led.select("cluster", F.col("leader").alias("broker"), F.lit(True).alias("before"), *MOVED),
        led.select("cluster", F.col("heir").alias("broker"), F.lit(False).alias("before"), *MOVED),
    ]
    gained = F.when(~F.col("before") & F.col("is_down"), F.col("weight"))
    counted = (
        sides[0]
        .union(sides[1])
        .where("broker is not null")
        .join(hit, "cluster", "left_semi")
        .groupBy("cluster", "broker")
        .agg(
            F.count_if("before").alias("leads_before"),
            F.count_if(~F.col("before")).alias("leads_after"),
            F.sum(gained).alias("weight_gained"),
        )
    )
    return escaped_rows(counted).orderBy("cluster", "broker")


MOVED = "is_down", "weight"


def without_leader(snapshot: FleetSnapshot, down: Collection[int]) -> DataFrame:
    """A row (cluster, topic, partition) that nobody leads while they are down."""
    lost = _led(snapshot, down).where("is_down and heir is null")
    rows = lost.select("cluster", "topic", "partition", F.col("leader").alias("broker"))
    return escaped_rows(rows).orderBy("cluster", "topic", "partition")


def groups_hit(snapshot: FleetSnapshot, down: Collection[int]) -> DataFrame:
    """A row (cluster, group) that reads any partition that these lead.

    Of its `partitions` some are `led` by them, and have no leader until others lead these; others
    of them are `leaderless` until they are back.
    """
    read = snapshot.tables["subscriptions"].select(*GROUP_KEYS, "topic").distinct()
    counted = (
        read.join(_led(snapshot, down), ["cluster", "topic"])
        .groupBy(*GROUP_KEYS)
        .agg(
            F.count("*").alias("partitions"),
            F.count_if("is_down").alias("led"),
            F.count_if(F.col("is_down") & F.col("heir").isNull()).alias("leaderless"),
        )
        .where("led > 0")
    )
    return escaped_rows(counted).orderBy(
        F.desc("leaderless"), F.desc(F.col("led") / F.col("partitions")), *GROUP_KEYS
    )


def _led(snapshot: FleetSnapshot, down: Collection[int]) -> DataFrame:
    """Each partition, its leader, whether that is down, and its `heir`: who leads it then."""
    is_down = F.coalesce(F.col("leader").isin(*down), F.lit(False))
    in_order = "filter(coalesce(replicas, isr), one -> array_contains(isr, one))"
    up = f"filter({in_order}, one -> one not in ({', '.join(map(str, sorted(down)))}))"
    heir = F.when(is_down, F.expr(f"try_element_at({up}, 1)")).otherwise(F.col("leader"))
    partitions = snapshot.tables["partitions"]
    return partitions.select(
        *("cluster", "topic", "partition", "leader", "weight"),
        is_down.alias("is_down"),
        heir.alias("heir"),
    )
