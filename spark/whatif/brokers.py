"""Leaders when brokers are down, and groups that can't read meanwhile."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import functions as F

from optimizer.figures import plural
from spark.fleet import PARTITION_KEYS, FleetSnapshot, as_rows, escaped_rows
from spark.groups import GROUP_KEYS
from spark.text import list_of
from spark.whatif.parts import led_with_heirs, topics_read

Row = Mapping[str, Any]


def outage_of(snapshot: FleetSnapshot, down: Collection[int]) -> dict[str, list[dict[str, Any]]]:
    """Leaders while these brokers are down, and groups that can't read, by table.

    * `leaders`, of clusters where any of them leads: how many partitions each broker `leads_before`
      and `leads_after`, and `weight_gained`, of those that it leads then and didn't before (null
      where none is known). The first replica in sync that is up leads then
      (OfflinePartitionLeaderElection).
    * `without_leader`: the partitions that nobody leads then.
    * `groups_hit`, that read any partition that these lead. Of its `partitions` some are `led` by
      them, and have no leader until others lead these; others of them are `leaderless` until they
      are back.
    """
    if not down:
        return {}
    led, lost = led_with_heirs(snapshot, down), F.col("is_down") & F.col("heir").isNull()
    hit = led.where("is_down").select("cluster").distinct()
    sides = "stack(2, leader, true, heir, false) as (broker, before)"
    of_brokers = (
        led.selectExpr("cluster", "is_down", "weight", sides)
        .where("broker is not null")
        .join(hit, "cluster", "left_semi")
        .groupBy("cluster", "broker")
        .agg(
            F.count_if("before").alias("leads_before"),
            F.count_if(~F.col("before")).alias("leads_after"),
            F.sum(F.when(F.expr("not before and is_down"), F.col("weight"))).alias("weight_gained"),
        )
    )
    partitions = led.where(lost).select(*PARTITION_KEYS, F.col("leader").alias("broker"))
    of_groups = (
        topics_read(snapshot)
        .join(led, ["cluster", "topic"])
        .groupBy(*GROUP_KEYS)
        .agg(
            F.count("*").alias("partitions"),
            F.count_if("is_down").alias("led"),
            F.count_if(lost).alias("leaderless"),
        )
        .where("led > 0")
    )
    worst = F.desc("leaderless"), F.desc(F.col("led") / F.col("partitions")), *GROUP_KEYS
    tables = {
        "leaders": escaped_rows(of_brokers).orderBy("cluster", "broker"),
        "without_leader": escaped_rows(partitions).orderBy(*PARTITION_KEYS),
        "groups_hit": escaped_rows(of_groups).orderBy(*worst),
    }
    return {name: as_rows(table) for name, table in tables.items()}


HEIRS = 3
"""Brokers that are named: those that get most."""

ELECTION = "9 s by default, broker.session.timeout.ms"


def broker_report(
    leaders: Sequence[Row], lost: Sequence[Row], groups: Sequence[Row], down: Sequence[int]
) -> Iterator[str]:
    """Sentences on rows of the tables of `outage_of`."""
    clusters = sorted({row["cluster"] for row in leaders})
    for cluster in clusters:
        of = f" of cluster {cluster}" if len(clusters) > 1 else ""
        mine = [row for row in leaders if row["cluster"] == cluster]
        led = sum(row["leads_before"] for row in mine if row["broker"] in down)
        which = ", ".join(str(row["broker"]) for row in mine if row["broker"] in down)
        gone = [row for row in lost if row["cluster"] == cluster]
        yield f"Broker {which}{of} led {plural(led, 'partition')}.{_heirs(mine)}"
        if gone:
            ids = [f"{row['topic']}-{row['partition']}" for row in gone]
            have = "has" if len(gone) == 1 else "have"
            yield f"{list_of('partition', ids)}{of} {have} no leader: no other replica is in sync."
    for_good = [row["group"] for row in groups if row["leaderless"] == row["partitions"]]
    in_part = [row["group"] for row in groups if 0 < row["leaderless"] < row["partitions"]]
    for_now = [
        row["group"] for row in groups if row["leaderless"] < row["led"] == row["partitions"]
    ]
    for hit, what in (
        (for_good, "nothing until it is back"),
        (in_part, "only a part until it is back"),
        (for_now, f"nothing until others lead ({ELECTION})"),
    ):
        if hit:
            which = plural(len(hit), "group") if hit is in_part else list_of("group", hit)
            yield f"{which} {'reads' if len(hit) == 1 else 'read'} {what}."


def _heirs(leaders: Sequence[Row]) -> str:
    gained = sorted(
        ((row["leads_after"] - row["leads_before"], row["broker"]) for row in leaders),
        key=lambda heir: (-heir[0], heir[1]),
    )
    heirs = [(more, broker) for more, broker in gained if more > 0]
    if not heirs:
        return ""
    listed = ", ".join(f"broker {broker} (+{more:,})" for more, broker in heirs[:HEIRS])
    rest = f", {plural(len(heirs) - HEIRS, 'other')}" if len(heirs) > HEIRS else ""
    weighed = [row for row in leaders if row["weight_gained"]]
    most = max(weighed, key=lambda row: row["weight_gained"], default=None)
    load = f" By weight, broker {most['broker']} gets most." if most else ""
    return f" They go to {listed}{rest}.{load}"
