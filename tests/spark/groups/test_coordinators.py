"""Who coordinates a group, as the source said or as its name tells."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark.groups import OFFSETS_TOPIC, OffsetsTopic, coordinators, location_of
from spark.groups.coordinators import coordinating_partition
from tests.support.fleets import Fleet

PLACE = f"its offsets are in {OFFSETS_TOPIC}-12"
LED, LEADERLESS = f"{PLACE}, led by broker 3", f"{PLACE}, which has no leader"

LOCATIONS = {
    (3, 3): (12, 3, 3, False, f"{LED}, its coordinator"),
    (3, 1): (12, 3, 1, False, f"{LED}; broker 1 coordinates it"),  # it was moved meanwhile
    (3, None): (12, 3, 3, True, f"{LED}, the likely coordinator"),
    (0, None): (12, 0, 0, True, f"{PLACE}, led by broker 0, the likely coordinator"),
    (None, 0): (12, None, 0, False, f"{LEADERLESS}; broker 0 coordinates it"),
    (None, None): (12, None, None, False, LEADERLESS),
    (-1, None): (12, None, None, False, LEADERLESS),
    (None, 1): (12, None, 1, False, f"{LEADERLESS}; broker 1 coordinates it"),
    ("no topic", 2): (None, None, 2, False, "broker 2 coordinates it"),
    ("no topic", None): (None, None, None, False, None),
}
"""By who leads the partition of test-group's offsets (12 of 50), and whom the source named."""


@pytest.mark.parametrize(("leader", "reported"), LOCATIONS)
def test_where_a_coordinator_sits(leader: Any, reported: int | None) -> None:
    led = leader != "no topic" and OffsetsTopic.of((number, leader) for number in range(50))
    assert location_of("test-group", reported, led or None) == LOCATIONS[leader, reported]


def test_the_coordinators_of_a_fleet(spark: SparkSession) -> None:
    """A cluster a case; without a table of groups the source named nobody."""
    fleet = Fleet()
    for leader, reported in LOCATIONS:
        cluster = f"{leader} {reported}"
        if leader != "no topic":
            fleet.topic(OFFSETS_TOPIC, 50, cluster)
            fleet.rows["partitions"][-38]["leader"] = leader
        fleet.topic("t", 1, cluster)
        fleet.group("test-group", {"a": ["t"]}, cluster=cluster, coordinator=reported)
    tables = fleet.snapshot(spark).tables
    groups = tables["members"].select("cluster", "group")
    cells = {row[0]: tuple(row)[2:] for row in coordinators(groups, tables).collect()}
    assert cells == {f"{leader} {named}": seat for (leader, named), seat in LOCATIONS.items()}
    without = {name: table for name, table in tables.items() if name != "groups"}
    moved = coordinators(groups.where("cluster = '3 1'"), without).collect()
    assert [tuple(row)[2:] for row in moved] == [LOCATIONS[3, None]]


HASHES = {
    **{"": 0, "a": 97, "hello": 99162322, "test-group": 627841412},
    **{"日本語日本語日本語": -1518747401, "\U0001f600 group": -1570619006},
}
"""What Java says, as signed numbers."""


@pytest.mark.parametrize("partitions", [7, 50])
def test_the_coordinating_partition_is_that_of_java(partitions: int) -> None:
    """Utils.abs(name.hashCode()) % partitions, and 0 for Integer.MIN_VALUE, which has no such.

    Books and articles print that the offsets of test-group are in partition 12 of 50.
    """
    assert coordinating_partition("test-group", 50) == 12
    assert coordinating_partition("polygenelubricants", partitions) == 0
    for name, hashed in HASHES.items():
        assert coordinating_partition(name, partitions) == abs(hashed) % partitions, name
