"""Commands whose store, plan and results are tables of a catalog."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.support.catalog import put, schema
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, Said, check_refused
from tests.support.small import EARLIER, small
from tests.support.terminal import tables_of


@pytest.fixture(scope="module")
def lake(spark: SparkSession) -> Iterator[str]:
    fleet = small()
    for row in fleet.rows["members"]:
        row["client_id"] = row["member_id"]  # as `export-plan` needs it
    with schema(spark, "lake") as name:
        for snapshot in (EARLIER, SNAPSHOT):
            put(spark, name, fleet.tables(), snapshot)
        yield name


@pytest.fixture
def results(spark: SparkSession) -> Iterator[str]:
    with schema(spark, "results") as name:
        yield name


def well(said: Said) -> Said:
    assert said.code == 0, said.err
    return said


def test_a_plan_is_made_of_tables_into_tables_verified_and_exported(
    spark: SparkSession, run: Run, lake: str, results: str, tmp_path: Path
) -> None:
    words = ("plan", "--tables", lake, "--out-tables", results, "--snapshot", SNAPSHOT)
    output = well(run(*words))
    assert "Written to results: assignments, groups." in output.err
    planned = spark.table("results.groups").where("group = 'g'").collect()
    assert [(row.snapshot, row.strategy) for row in planned] == [(SNAPSHOT, "optimal")]
    moved = f"action = 'move' and snapshot = '{SNAPSHOT}'"
    (row,) = spark.table("results.assignments").where(moved).collect()
    assert (row.topic, row.member_id) == ("t", "b")
    plan = ("--tables", lake, "--plan-tables", results, "--snapshot", SNAPSHOT)
    assert "No fault" in well(run("verify", *plan)).err
    file = tmp_path / "g.json"
    well(run("export-plan", *plan, "--group", "g", "--out", file))
    assert json.loads(file.read_text())["group"] == "g"
    output = run(*words[:4], lake)
    check_refused(output, "output lake holds a store already: choose another schema for a plan")


@pytest.mark.ends  # it reads and writes tables as the plan does, which the default tier has
def test_strategies_are_compared_and_an_audit_is_written_in_tables(
    spark: SparkSession, run: Run, lake: str, results: str
) -> None:
    where = ("--tables", lake, "--out-tables", results)
    output = well(run("compare", *where, "--strategies", "current,optimal"))
    assert "Written to results: comparison, fleet, comparison_groups." in output.err
    assert spark.table("results.comparison").where(f"snapshot = '{SNAPSHOT}'").count() == 4
    assert spark.table("results.fleet").count() == 2
    assert "advice" in spark.table("results.comparison_groups").columns
    worst = tables_of(well(run("audit", *where, "--no-history", "--format", "json")))["worst"]
    findings = spark.table("results.findings").collect()
    assert {row["finding"] for row in worst} == {row.finding for row in findings} != set()
