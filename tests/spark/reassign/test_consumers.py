"""What a plan does to those who read."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from optimizer.replicas import Broker, Cluster, Partition, plan_replicas
from spark import FleetFiles, FleetSnapshot
from spark.reassign import (
    Consumers,
    Reassignment,
    ReassignRequest,
    ReplicaFacts,
    compare,
    consumers_of,
    effects,
)
from spark.reassign.facts import PartitionFacts
from tests.support.fleets import Fleet

RACKS: dict[int, str | None] = {1: "a", 2: "b"}


def planned(
    rows: dict[tuple[str, int], list[int]], sizes: dict[tuple[str, int], int]
) -> Reassignment:
    wanted = ReassignRequest(sizes=sizes)
    current = ReplicaFacts(
        "c",
        "20261123T100000Z",
        RACKS,
        [PartitionFacts(*name, row[0], row, row, [], []) for name, row in rows.items()],
    )
    cluster = Cluster(
        [Broker(b, rack) for b, rack in RACKS.items()],
        [Partition(*name, row, size=sizes.get(name)) for name, row in rows.items()],
    )
    return Reassignment(current, wanted, cluster, plan_replicas(cluster), [], [])


def test_reads_across_racks_and_coordinators_follow_the_leaders() -> None:
    """Broker 1 leads all four partitions; then each broker leads two."""
    rows = {(topic, n): [1, 2] for topic in ("__consumer_offsets", "t") for n in (0, 1)}
    of = planned(rows, {})
    led = {name: row[0] for name, row in of.plan.replicas.items()}
    assert sorted(led.values()) == [1, 1, 2, 2]
    consumers = Consumers(Counter({("t", 0, "a"): 3, ("t", 1, "b"): 2}), [*"ab"])
    result = effects(of, consumers)
    assert (result.reads, result.reads_across, result.groups) == (5, 2, 2)
    across = 3 * (led["t", 0] == 2) + 2 * (led["t", 1] == 1)
    assert result.planned_reads_across == across
    # Java's hash of "a" is 97, of "b" 98: partitions 1 and 0 keep their offsets
    moved = [g for g, n in (("a", 1), ("b", 0)) if led["__consumer_offsets", n] == 2]
    assert result.other_coordinator == moved
    assert effects(of, Consumers(Counter(), [])).reads == 0


def test_nothing_is_told_of_racks_that_are_not_known() -> None:
    of = planned({("t", 0): [1], ("t", 1): [1]}, {})
    of.current.racks.update(dict.fromkeys(RACKS))
    result = effects(of, Consumers(Counter({("t", 0, "a"): 3}), ["g"]))
    of.current.racks.update(RACKS)
    assert (result.reads, result.reads_across, result.other_coordinator) == (0, 0, [])


def test_a_store_tells_the_same_with_spark_and_without(spark: SparkSession, tmp_path: Path) -> None:
    fleet = Fleet()
    fleet.topic("t", 3)
    fleet.group("g", {"m1": ["t"], "m2": ["t"]}, [("t", 0, "m1"), ("t", 1, "m2"), ("t", 2, "m2")])
    for row in fleet.rows["members"]:
        row["rack"] = "a" if row["member_id"] == "m2" else None
    fleet.store(tmp_path / "store", "20261123T100000Z")
    consumers = consumers_of(FleetFiles.read(str(tmp_path / "store")), "c")
    assert consumers == Consumers(Counter({("t", 1, "a"): 1, ("t", 2, "a"): 1}), ["g"])
    assert consumers_of(FleetSnapshot.read(spark, str(tmp_path / "store")), "c") == consumers


@pytest.mark.parametrize(("sizes", "gap"), [([4, 4, 4, 4], 0.0), ([9, 1, 1, 1], 1 / 9)])
def test_bytes_are_compared_with_the_least_that_some_broker_has(
    sizes: list[int], gap: float
) -> None:
    """9 + 1 by counts, and the largest alone is 9."""
    names = [("t", number) for number in range(4)]
    of = planned({name: [1] for name in names}, dict(zip(names, sizes, strict=True)))
    ways = {item.placement: item for item in compare(of)}
    assert ways["now"].bytes_max == sum(sizes)
    assert ways["optimal"].bytes_gap == pytest.approx(gap)
    rows = of.brokers()
    assert [sum(row[name] for row in rows) for name in ("led_bytes", "planned_led_bytes")] == [
        sum(sizes)
    ] * 2
