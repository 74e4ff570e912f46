"""A folder holds snapshots, or one kind of result; those of earlier versions still read."""

import shutil
from itertools import permutations
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError
from spark.fleet import AUDIT, PLAN, RESULTS, STORE, check_kind, read_results
from spark.fleet.results import with_new_names
from spark.store import Folder, StoredTable
from tests.paths import DATA
from tests.spark.fleet.test_clusters import fleet_of, keep
from tests.spark.store.killed_at_each_step import SNAPSHOT
from tests.support.said import Run, check_refused
from tests.support.terminal import tables_of


def put(out: Path, *tables: str) -> None:
    for table in tables:
        (out / table / f"snapshot={SNAPSHOT}").mkdir(parents=True)
        (out / table / f"snapshot={SNAPSHOT}/part.parquet").touch()


@pytest.mark.parametrize("kind", RESULTS)
def test_the_same_kind_may_come_again_and_no_other(tmp_path: Path, kind: str) -> None:
    place = Folder(tmp_path)
    check_kind(place, str(tmp_path), kind)
    put(tmp_path, *dict.fromkeys(RESULTS[kind]))
    check_kind(place, str(tmp_path), kind)
    for other in RESULTS.keys() - {kind}:
        report = f"output {tmp_path} holds {kind} already: choose another folder for {other}"
        with pytest.raises(InputError, match=f"^{report}$"):
            check_kind(place, str(tmp_path), other)


def test_each_kind_has_a_table_by_which_it_is_known() -> None:
    for item, other in permutations(set(RESULTS) - {STORE}, 2):
        assert RESULTS[item][0] not in RESULTS[other]


def test_an_audit_leaves_a_plan_as_it_is(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "store", SNAPSHOT, "a")
    put(tmp_path / "out", *RESULTS[PLAN][:2])
    before = sorted((tmp_path / "out").rglob("*"))
    output = run("audit", tmp_path / "store", "--out", tmp_path / "out")
    check_refused(output, f"holds {PLAN} already: choose another folder for {AUDIT}")
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_no_snapshot_is_written_to_a_plan(spark: SparkSession, tmp_path: Path) -> None:
    keep(tmp_path / "store", SNAPSHOT, "a")
    put(tmp_path / "out", *RESULTS[PLAN][:2])
    with pytest.raises(InputError, match=f"holds {PLAN} already"):
        fleet_of("a").store(tmp_path / "out")
    with pytest.raises(InputError, match=f"holds {PLAN} already"):
        FleetSnapshot.read(spark, str(tmp_path / "store")).write(str(tmp_path / "out"))


def test_two_tables_of_a_plan_are_of_one_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run writes both after the first was opened."""
    keep(tmp_path, SNAPSHOT, "a")
    read = Folder.read
    others = iter("b")

    def written_after(place: Folder, session: SparkSession, table: str, one: str) -> object:
        result = read(place, session, table, one)
        for cluster in others:
            keep(tmp_path, SNAPSHOT, cluster)
        return result

    monkeypatch.setattr(Folder, "read", written_after)
    tables = read_results(spark, str(tmp_path), ("groups", "assignments"), SNAPSHOT)
    clusters = [{row.cluster for row in table.rows.collect()} for table in tables]
    assert clusters == [{"a", "b"}] * 2


WRITTEN = sorted((DATA / "formats").iterdir())
"""A folder a version: `store` with two snapshots, and `plan` of the newest; they never change."""


@pytest.mark.parametrize("version", WRITTEN, ids=lambda one: one.name)
def test_a_store_and_its_plan_read(run: Run, tmp_path: Path, version: Path) -> None:
    """Whole, with every row, and the plan is still proven optimal."""
    kept = shutil.copytree(version, tmp_path / "kept")  # who reads may leave a lock
    listed = tables_of(run("snapshots", kept / "store", "--format", "json"))["snapshots"]
    assert [(row["snapshot"], row["state"], row["members"]) for row in listed] == [
        ("20261124T000000Z", "whole", 4),
        ("20261124T010000Z", "whole", 4),
    ]
    said = run("verify", kept / "store", kept / "plan", "--format", "json")
    assert said.code == 0, said.err
    assert "older version" not in said.err
    assert tables_of(said)["faults"] == []


def test_columns_and_statuses_from_before_0_1_0_are_read_under_new_names(
    spark: SparkSession,
) -> None:
    """What a column holds stays, and a note says which names were replaced."""
    columns = "group string, status string, found_max_load long, fewest_found long, afresh long"
    old = [("a", "ok", 3, 1, 0), ("b", "foreign", None, None, 2), ("c", None, None, None, None)]
    table = with_new_names(StoredTable(spark.createDataFrame(old, columns), ("earlier",)))
    assert table.rows.columns == ["group", "status", "current_max_load", "fewest_found", "resets"]
    assert [tuple(row) for row in table.rows.orderBy("group").collect()] == [
        ("a", "ok", 3, 1, 0),
        ("b", "unsupported", None, None, 2),
        ("c", None, None, None, None),
    ]
    assert table.notes == (
        "earlier",
        "an older version wrote this result: its columns are read under new names "
        "(afresh as resets, found_max_load as current_max_load)",
    )
    todays = StoredTable(table.rows.drop("resets"), ())
    assert with_new_names(todays) is todays
