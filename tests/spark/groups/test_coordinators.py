"""Who coordinates a group, as the source said or as its name tells."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from spark.groups import OFFSETS_TOPIC, CoordinatorLocation, OffsetsTopic, coordinators, location_of
from tests.support.fleets import Fleet

COLUMNS = ("offsets_partition", "offsets_leader", "coordinator", "inferred")


def fleet_with(leader: int | None, coordinator: int | None) -> Fleet:
    """Group test-group; somebody leads the partition of its offsets, number 12 of 50."""
    fleet = Fleet().topic("__consumer_offsets", 50).topic("t", 1)
    fleet.rows["partitions"][12]["leader"] = leader
    return fleet.group("test-group", {"a": ["t"]}, coordinator=coordinator)


def found(spark: SparkSession, fleet: Fleet, *left_out: str) -> tuple[tuple[Any, ...], str | None]:
    tables = fleet.snapshot(spark, *left_out).tables
    groups = tables["members"].select("cluster", "group").distinct()
    (row,) = coordinators(groups, tables).collect()
    assert {*seat_told(fleet, row["group"], *left_out)._asdict().items()} <= {*row.asDict().items()}
    return tuple(row[name] for name in COLUMNS), row["seat"]


def seat_told(fleet: Fleet, group: str, *left_out: str) -> CoordinatorLocation:
    """The same of plain rows."""
    kept = [row for row in fleet.rows["partitions"] if row["topic"] == OFFSETS_TOPIC]
    leaders = {row["partition"]: row.get("leader") for row in kept}
    entries = {number: leader for number, leader in leaders.items() if leader not in (None, -1)}
    values = None if "groups" in left_out else fleet.rows["groups"][0].get("coordinator")
    return location_of(group, values, OffsetsTopic(len(kept), entries) if kept else None)


def test_what_the_source_said(spark: SparkSession) -> None:
    assert found(spark, fleet_with(3, 3)) == (
        (12, 3, 3, False),
        "its offsets are in __consumer_offsets-12, led by broker 3, its coordinator",
    )


def test_what_was_moved_meanwhile(spark: SparkSession) -> None:
    assert found(spark, fleet_with(3, 1)) == (
        (12, 3, 1, False),
        "its offsets are in __consumer_offsets-12, led by broker 3; broker 1 coordinates it",
    )


def test_by_the_name_of_the_group(spark: SparkSession) -> None:
    inferred = (
        (12, 3, 3, True),
        "its offsets are in __consumer_offsets-12, led by broker 3, the likely coordinator",
    )
    assert found(spark, fleet_with(3, None)) == inferred
    assert found(spark, fleet_with(3, 1), "groups") == inferred


def test_a_partition_without_a_leader(spark: SparkSession) -> None:
    where = "its offsets are in __consumer_offsets-12, which has no leader"
    for nobody in (None, -1):
        assert found(spark, fleet_with(nobody, None)) == ((12, None, None, False), where)
    assert found(spark, fleet_with(None, 1)) == (
        (12, None, 1, False),
        f"{where}; broker 1 coordinates it",
    )


def test_a_snapshot_without_the_topic_of_offsets(spark: SparkSession) -> None:
    fleet = Fleet().topic("t", 1).group("g", {"a": ["t"]}, coordinator=2)
    assert found(spark, fleet) == ((None, None, 2, False), "broker 2 coordinates it")
    fleet = Fleet().topic("t", 1).group("g", {"a": ["t"]})
    assert found(spark, fleet) == ((None, None, None, False), None)
