"""The same where only Spark can open files: here a file system that Python knows nothing of."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, plan_fleet, verify_plan
from spark.errors import RunError, UnreadableError
from spark.files import LocalStore, SparkStore, read_parts, run_of, table_store_of, write_tables
from spark.files.manifest import HIDDEN, LARGEST_MANIFEST
from spark.fleet import read_planned, read_result, snapshots
from tests.spark.conftest import Settings
from tests.spark.files.test_stores_alike import mounted
from tests.support.fleets import SNAPSHOT
from tests.support.small import small

pytestmark = pytest.mark.ends

OWNED = ("a", "b")


@pytest.fixture
def root(settings: Settings, tmp_path: Path) -> Iterator[str]:
    """An address of the folder; each has a name of its own, since Hadoop keeps file systems."""
    with mounted(settings, tmp_path) as address:
        yield f"{address}/out"


def write(spark: SparkSession, root: str, *tables: str, rows: int) -> None:
    numbers = spark.range(rows).repartition(2)
    write_tables(spark, root, SNAPSHOT, dict.fromkeys(tables, numbers), OWNED)


def found(spark: SparkSession, root: str) -> dict[str, int]:
    """How many rows our own readers find in each table."""
    place = table_store_of(spark, root)
    parts = {table: place.parts(table, SNAPSHOT) for table in OWNED}
    frames = {table: read_parts(spark, table, part) for table, part in parts.items() if part}
    return {table: frame.count() for table, frame in frames.items() if frame}


def in_place(spark: SparkSession, root: str, table: str) -> int:
    return spark.read.parquet(f"{root}/{table}").count()


def test_which_folders_python_can_open(
    spark: SparkSession, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("out", "/x/out/", "file:/x/out", "file:///x/out"):
        assert isinstance(table_store_of(spark, path), LocalStore)
    assert table_store_of(spark, "file:///x/out/").root == "/x/out"
    assert isinstance(table_store_of(spark, "s3a://bucket/out"), SparkStore)
    with settings({"spark.hadoop.fs.defaultFS": "hdfs://here"}):
        assert isinstance(table_store_of(spark, "/x/out"), SparkStore)
        assert isinstance(table_store_of(spark, "file:/x/out"), LocalStore)
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    assert isinstance(table_store_of(spark, "/x/out"), SparkStore)


def test_what_is_written_replaces_all_that_the_run_owns(
    spark: SparkSession, root: str, tmp_path: Path
) -> None:
    write(spark, root, "a", "b", rows=5)
    assert found(spark, root) == {"a": 5, "b": 5}
    write(spark, root, "a", rows=3)
    assert found(spark, root) == {"a": 3}
    assert in_place(spark, root, "a") == 3
    assert not list((tmp_path / "out" / "b").rglob("*.parquet"))
    runs = {path.parts[-4] for path in (tmp_path / "out" / ".evenfleet").rglob("*.parquet")}
    assert len(runs) == 1  # what was replaced is swept


def test_a_run_that_fails_leaves_what_was_there(
    spark: SparkSession, root: str, tmp_path: Path
) -> None:
    write(spark, root, "a", "b", rows=5)
    broken = spark.range(1).selectExpr("raise_error('no more') as x")
    with pytest.raises(Exception, match="no more"):
        write_tables(spark, root, SNAPSHOT, {"a": spark.range(2), "b": broken}, OWNED)
    assert found(spark, root) == {"a": 5, "b": 5}
    runs = {path.parts[-4] for path in (tmp_path / "out" / ".evenfleet").rglob("*.parquet")}
    assert len(runs) == 1


def test_of_two_runs_at_once_one_wins_and_the_other_is_told(spark: SparkSession, root: str) -> None:
    with (
        pytest.raises(RunError, match=f"another run wrote snapshot {SNAPSHOT} of {root} in the"),
        run_of(spark, root, SNAPSHOT, OWNED) as slow,
    ):
        spark.range(9).write.parquet(slow.folder("a"))
        write(spark, root, "a", rows=3)
        slow.commit(("a",))
    assert found(spark, root) == {"a": 3}


def test_until_a_copy_is_in_place_the_manifest_tells(
    spark: SparkSession, root: str, tmp_path: Path
) -> None:
    """As after a run that ended early; and Python finds the same in that folder, and mends it."""
    write(spark, root, "a", rows=5)
    for path in (tmp_path / "out" / "a").rglob("*.parquet"):
        path.unlink()
    assert found(spark, root) == {"a": 5}
    assert table_store_of(spark, root).ids("a") == [SNAPSHOT]
    local = str(tmp_path / "out")
    assert found(spark, local) == {"a": 5}
    write(spark, local, "b", rows=1)
    assert found(spark, local) == found(spark, root) == {"b": 1}


def test_a_file_with_other_rows_or_none(spark: SparkSession, root: str, tmp_path: Path) -> None:
    write(spark, root, "a", rows=5)
    folders = (tmp_path / "out" / ".evenfleet" / "runs").glob(f"*/a/snapshot={SNAPSHOT}")
    path = sorted(next(folders).glob("*.parquet"))[0]
    path.write_bytes(b"")
    path.with_name(f".{path.name}.crc").unlink()
    with pytest.raises(UnreadableError, match=f"{path.name} can't be read: it has no rows"):
        table_store_of(spark, root).parts("a", SNAPSHOT)
    path.unlink()
    with pytest.raises(UnreadableError, match=f"{path.name} is missing"):
        table_store_of(spark, root).parts("a", SNAPSHOT)


def test_a_fleet_and_its_plan(spark: SparkSession, root: str) -> None:
    store, out = f"{root}/store", f"{root}/plan"
    small().snapshot(spark).write(store)
    assert snapshots(spark, store) == [SNAPSHOT]
    fleet = FleetSnapshot.read(spark, store)
    assert fleet.changes == ()
    with plan_fleet(fleet) as plan:
        plan.write(out)
    tables = {name: read_result(spark, out, name, SNAPSHOT) for name in ("assignments", "groups")}
    assert all(not table.notes for table in tables.values())
    fleet = read_planned(spark, store, out, SNAPSHOT)
    faults = verify_plan(fleet, *(table.rows for table in tables.values()))
    assert faults.collect() == []


def test_a_manifest_that_may_have_no_end_is_not_read(
    spark: SparkSession, root: str, tmp_path: Path
) -> None:
    write(spark, root, "a", rows=3)
    (manifest,) = (tmp_path / "out" / HIDDEN / "manifests").rglob("part-*")
    manifest.with_name("part-large").touch()
    os.truncate(manifest.with_name("part-large"), LARGEST_MANIFEST + 1)
    with pytest.raises(UnreadableError, match="part-large can't be read: it is too large: at most"):
        found(spark, root)
