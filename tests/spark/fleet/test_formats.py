"""Stores and plans as earlier versions wrote them still read (docs/upgrade.md)."""

import json
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark.fleet.results import with_new_names
from spark.store import StoredTable
from tests.paths import DATA
from tests.support.said import Run

WRITTEN = sorted((DATA / "formats").iterdir())
"""A folder a version: `store` with two snapshots, and `plan` of the newest; they never change."""


@pytest.mark.parametrize("version", WRITTEN, ids=lambda one: one.name)
def test_a_store_and_its_plan_read(run: Run, tmp_path: Path, version: Path) -> None:
    """Whole, with every row, and the plan is still proven optimal."""
    kept = shutil.copytree(version, tmp_path / "kept")  # who reads may leave a lock
    listed = json.loads(run("snapshots", kept / "store", "--format", "json").out)["snapshots"]
    assert [(row["snapshot"], row["state"], row["members"]) for row in listed] == [
        ("20261124T000000Z", "whole", 4),
        ("20261124T010000Z", "whole", 4),
    ]
    said = run("verify", kept / "store", kept / "plan", "--format", "json")
    assert said.code == 0, said.err
    assert "older version" not in said.err
    assert json.loads(said.out)["faults"] == []


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
