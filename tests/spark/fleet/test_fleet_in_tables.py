"""A fleet in tables of a catalog: as the same one in folders, with the same sentences."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError
from spark.fleet import contents_of, snapshots, stored_in
from spark.fleet.local_store import write_store
from spark.store import CatalogSchema, source_of
from tests.spark.fleet.test_clusters import fleet_of
from tests.support.catalog import put_all, schema
from tests.support.fleets import SNAPSHOT
from tests.support.small import EARLIER

LONG_AGO, LATER = "20261101T000000Z", "20261121T070000Z"

SNAPSHOTS = {
    LONG_AGO: fleet_of("old").tables(),
    EARLIER: fleet_of("a", "b").add("brokers", cluster="a", broker=1).tables(),
    SNAPSHOT: fleet_of("b").tables("groups"),
    LATER: fleet_of("b").tables("assignments"),
}
"""The last one isn't whole: one of its tables has no rows of it."""


@pytest.fixture(scope="module")
def lake(spark: SparkSession) -> Iterator[str]:
    with schema(spark, "fleet_lake") as name:
        put_all(spark, name, SNAPSHOTS)
        yield name


@pytest.fixture
def own(spark: SparkSession) -> Iterator[str]:
    with schema(spark, "own_lake") as name:
        yield name


def rows(fleet: FleetSnapshot) -> dict[str, list[str]]:
    return {name: sorted(map(repr, table.collect())) for name, table in fleet.tables.items()}


def refused(spark: SparkSession, lake: str, snapshot: str | None = None) -> str:
    with pytest.raises(InputError) as error:
        FleetSnapshot.tables(spark, lake, snapshot)
    return str(error.value)


def test_a_fleet_in_tables_is_the_one_in_folders(
    spark: SparkSession, lake: str, tmp_path: Path
) -> None:
    """The newest of each cluster, or one snapshot; a cluster that is out of reach is named."""
    for snapshot, tables in SNAPSHOTS.items():
        write_store(tables, tmp_path, snapshot)
    in_tables = FleetSnapshot.tables(spark, lake)
    in_folders = FleetSnapshot.read(spark, str(tmp_path))
    assert in_tables.id == SNAPSHOT
    assert in_tables.instants == {"a": EARLIER, "b": SNAPSHOT} == in_folders.instants
    assert rows(in_tables) == rows(in_folders)
    assert in_tables.notes == in_folders.notes
    assert in_tables.notes[0].startswith("cluster old is left out")
    assert in_tables.notes[1:] == (f"Skipped: snapshot {LATER} isn't whole: it lacks assignments",)
    earlier = FleetSnapshot.tables(spark, lake, EARLIER).clusters()
    assert earlier == {"a": EARLIER, "b": EARLIER}
    alone = FleetSnapshot.tables(spark, lake, max_age=timedelta(minutes=1))
    assert alone.clusters() == {"b": SNAPSHOT}
    # a table without rows of a snapshot isn't there
    assert sorted(alone.tables) == ["assignments", "members", "partitions", "subscriptions"]


def test_a_snapshot_is_whole_when_each_required_table_has_rows_of_it(
    spark: SparkSession, lake: str
) -> None:
    where = CatalogSchema(lake)
    assert snapshots(spark, where) == [LONG_AGO, EARLIER, SNAPSHOT]
    assert stored_in(spark, where).unfinished == {LATER: "it lacks assignments"}
    incomplete = f"snapshot {LATER} of store fleet_lake isn't whole: it lacks assignments"
    assert refused(spark, lake, LATER) == incomplete
    assert refused(spark, lake, "other") == (
        "store fleet_lake has no snapshot other: the newest it has are "
        f"{LONG_AGO}, {EARLIER}, {SNAPSHOT}"
    )
    counted = contents_of(source_of(spark, where), [EARLIER, SNAPSHOT])
    assert {item: of_it.rows["members"] for item, of_it in counted.items()} == {
        EARLIER: 2,
        SNAPSHOT: 1,
    }
    assert "brokers" not in counted[SNAPSHOT].rows
    assert not any(of_it.unreadable_tables for of_it in counted.values())


def test_tables_that_lack_columns_are_told_in_the_same_sentences(
    spark: SparkSession, own: str
) -> None:
    def make(name: str, columns: str) -> None:
        spark.sql(f"DROP TABLE IF EXISTS {own}.{name}")
        spark.sql(f"CREATE TABLE {own}.{name} AS SELECT 'c' AS cluster{columns}")

    make("members", "")
    assert refused(spark, own) == "table own_lake.members lacks the column snapshot"
    make("members", ", 20261121L AS snapshot")
    assert "snapshot is bigint and must be string" in refused(spark, own)
    for table in ("members", "subscriptions", "partitions", "assignments"):
        make(table, f", 'g' AS group, '{SNAPSHOT}' AS snapshot")
    report = refused(spark, own)
    assert report.startswith(f"snapshot {SNAPSHOT} can't be used: table members lacks the column")
    assert "table subscriptions lacks the column member_id, topic" in report
