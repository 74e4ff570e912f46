"""A fleet in tables of a catalog: as the same one in folders, with the same sentences."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError
from spark.files import CatalogSchema, source_of
from spark.fleet import contents_of, snapshots, unfinished
from spark.fleet.local_store import write_store
from tests.support.catalog import put, schema
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.small import EARLIER, small

LONG_AGO = "20261101T000000Z"


@pytest.fixture
def lake(spark: SparkSession) -> Iterator[str]:
    with schema(spark, "fleet_lake") as name:
        yield name


def of_cluster(cluster: str) -> Fleet:
    fleet = Fleet().topic("t", 2, cluster=cluster)
    return fleet.group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")], cluster=cluster)


def rows(fleet: FleetSnapshot) -> dict[str, list[str]]:
    return {name: sorted(map(repr, table.collect())) for name, table in fleet.tables.items()}


def test_a_fleet_in_tables_is_the_one_in_folders(
    spark: SparkSession, lake: str, tmp_path: Path
) -> None:
    """The newest snapshot of each cluster, and a cluster that is out of reach told of."""
    for snapshot, cluster in ((LONG_AGO, "old"), (EARLIER, "a"), (EARLIER, "b"), (SNAPSHOT, "b")):
        tables = of_cluster(cluster).tables()
        put(spark, lake, tables, snapshot)
        write_store(tables, tmp_path / "store", snapshot)
    in_tables, in_folders = (
        FleetSnapshot.tables(spark, lake),
        FleetSnapshot.read(spark, str(tmp_path / "store")),
    )
    assert in_tables.instants == {"a": EARLIER, "b": SNAPSHOT} == in_folders.instants
    assert rows(in_tables) == rows(in_folders)
    assert in_tables.notes == in_folders.notes
    assert in_tables.notes[0].startswith("cluster old is left out")


def test_one_snapshot_and_max_age_are_what_they_are_in_a_store(
    spark: SparkSession, lake: str
) -> None:
    put(spark, lake, of_cluster("a").tables(), EARLIER)
    put(spark, lake, of_cluster("b").tables(), SNAPSHOT)
    assert FleetSnapshot.tables(spark, lake, EARLIER).clusters() == {"a": EARLIER}
    alone = FleetSnapshot.tables(spark, lake, max_age=timedelta(minutes=1))
    assert alone.clusters() == {"b": SNAPSHOT}


def test_an_optional_table_without_rows_of_a_snapshot_is_not_there(
    spark: SparkSession, lake: str
) -> None:
    """As a folder that isn't there: nobody says anything of groups, or of brokers."""
    brokers = small().add("brokers", broker=1)
    put(spark, lake, brokers.tables(), EARLIER)
    put(spark, lake, small().tables("groups"), SNAPSHOT)
    there = FleetSnapshot.tables(spark, lake, SNAPSHOT).tables
    assert sorted(there) == ["assignments", "members", "partitions", "subscriptions"]


def test_a_snapshot_is_whole_when_each_required_table_has_rows_of_it(
    spark: SparkSession, lake: str
) -> None:
    put(spark, lake, small().tables(), EARLIER)
    put(spark, lake, small().tables("assignments"), SNAPSHOT)
    where = CatalogSchema(lake)
    assert snapshots(spark, where) == [EARLIER]
    assert unfinished(spark, where) == {SNAPSHOT: "it lacks assignments"}
    fleet = FleetSnapshot.tables(spark, lake)
    assert fleet.id == EARLIER
    assert fleet.notes == (f"Skipped: snapshot {SNAPSHOT} isn't whole: it lacks assignments",)
    with pytest.raises(InputError) as refused:
        FleetSnapshot.tables(spark, lake, SNAPSHOT)
    assert str(refused.value) == (
        f"snapshot {SNAPSHOT} of store fleet_lake isn't whole: it lacks assignments"
    )


def test_rows_are_counted_by_snapshot(spark: SparkSession, lake: str) -> None:
    put(spark, lake, small().tables(), EARLIER)
    put(spark, lake, of_cluster("a").tables(), SNAPSHOT)
    counted = contents_of(source_of(spark, CatalogSchema(lake)), [EARLIER, SNAPSHOT])
    assert {item: of_it.rows["members"] for item, of_it in counted.items()} == {
        EARLIER: 2,
        SNAPSHOT: 2,
    }
    assert not any("brokers" in of_it.rows or of_it.unreadable_tables for of_it in counted.values())


def test_what_is_missing_is_told_in_the_same_sentences(spark: SparkSession, lake: str) -> None:
    def said(snapshot: str | None = None) -> str:
        with pytest.raises(InputError) as refused:
            FleetSnapshot.tables(spark, lake, snapshot)
        return str(refused.value)

    put(spark, lake, {"groups": small().tables()["groups"]}, SNAPSHOT)
    assert said() == f"snapshot {SNAPSHOT} of store fleet_lake isn't whole: it lacks members, " + (
        "subscriptions, partitions, assignments"
    )
    put(spark, lake, small().tables("groups"), SNAPSHOT)
    assert (
        said("other") == f"store fleet_lake has no snapshot other: the newest it has are {SNAPSHOT}"
    )
    spark.sql("DROP TABLE fleet_lake.members")
    spark.sql(f"CREATE TABLE fleet_lake.members AS SELECT 'c' AS cluster, '{SNAPSHOT}' AS snapshot")
    assert said() == (
        f"snapshot {SNAPSHOT} can't be used: table members lacks the column group, member_id"
    )


def test_tables_that_no_snapshot_can_be_told_of_are_refused(spark: SparkSession, lake: str) -> None:
    put(spark, lake, small().tables(), SNAPSHOT)
    spark.sql("DROP TABLE fleet_lake.members")
    spark.sql("CREATE TABLE fleet_lake.members AS SELECT 'c' AS cluster")
    with pytest.raises(InputError, match=r"^table fleet_lake\.members lacks the column snapshot$"):
        FleetSnapshot.tables(spark, lake)
    spark.sql("DROP TABLE fleet_lake.members")
    spark.sql("CREATE TABLE fleet_lake.members AS SELECT 'c' AS cluster, 20261121L AS snapshot")
    with pytest.raises(InputError, match="snapshot is bigint and must be string"):
        FleetSnapshot.tables(spark, lake)


@pytest.mark.parametrize("name", ["nowhere", "no_catalog.fleet"])
def test_a_schema_that_is_not_there_is_told(spark: SparkSession, name: str) -> None:
    with pytest.raises(InputError, match=rf"^there is no schema {name}: "):
        FleetSnapshot.tables(spark, name)
