"""Commands whose store, plan and results are tables of a catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark.terminal import store_and_plan
from tests.support.catalog import put, schema
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, is_one_line
from tests.support.small import EARLIER, small


@pytest.fixture
def lake(spark: SparkSession) -> Iterator[str]:
    fleet = small()
    for row in fleet.rows["members"]:
        row["client_id"] = row["member_id"]  # as `export-plan` needs it
    with schema(spark, "lake") as name:
        put(spark, name, fleet.tables(), SNAPSHOT)
        yield name


@pytest.fixture
def results(spark: SparkSession) -> Iterator[str]:
    with schema(spark, "results") as name:
        yield name


def test_a_plan_is_made_of_tables_into_tables_verified_and_exported(
    spark: SparkSession, run: Run, lake: str, results: str, tmp_path: Path
) -> None:
    output = run("plan", "--tables", lake, "--out-tables", results)
    assert output.code == 0, output.err
    assert "the plan is in results.assignments and results.groups" in output.err
    assignments = spark.table("results.assignments").where("action = 'move'").collect()
    assert [(row.snapshot, row.topic, row.member_id) for row in assignments] == [
        (SNAPSHOT, "t", "b")
    ]
    verified = run("verify", "--tables", lake, "--plan-tables", results)
    assert verified.code == 0, verified.err
    assert "no fault" in verified.err
    file = tmp_path / "g.json"
    words = ("--tables", lake, "--plan-tables", results, "--group", "g", "--out", file)
    exported = run("export-plan", *words)
    assert exported.code == 0, exported.err
    assert json.loads(file.read_text())["group"] == "g"


def test_a_new_plan_replaces_the_rows_of_its_snapshot_alone(
    spark: SparkSession, run: Run, lake: str, results: str
) -> None:
    put(spark, lake, small().tables(), EARLIER)
    assert run("plan", "--tables", lake, "--out-tables", results, "--snapshot", "all").code == 0
    again = ("--snapshot", SNAPSHOT, "--strategy", "range")
    assert run("plan", "--tables", lake, "--out-tables", results, *again).code == 0
    planned = spark.table("results.groups").where("group = 'g'").collect()
    assert sorted((row.snapshot, row.strategy) for row in planned) == [
        (EARLIER, "optimal"),
        (SNAPSHOT, "range"),
    ]


def test_strategies_are_compared_in_tables(
    spark: SparkSession, run: Run, lake: str, results: str
) -> None:
    words = ("--strategies", "current,optimal")
    output = run("compare", "--tables", lake, "--out-tables", results, *words)
    assert output.code == 0, output.err
    assert "is in results.comparison, this table in results.fleet" in output.err
    assert spark.table("results.comparison").where(f"snapshot = '{SNAPSHOT}'").count() == 4
    assert spark.table("results.fleet").count() == 2


def test_an_audit_is_written_to_tables(
    spark: SparkSession, run: Run, lake: str, results: str
) -> None:
    output = run("audit", "--tables", lake, "--out-tables", results, "--format", "json")
    assert output.code == 0, output.err
    result = {row["finding"] for row in json.loads(output.out)["worst"]}
    assert result == {row.finding for row in spark.table("results.findings").collect()} != set()


def test_a_group_is_explained_and_snapshots_are_listed(run: Run, lake: str) -> None:
    output = run("explain", "--tables", lake, "--group", "g", "--format", "json")
    assert json.loads(output.out)["explanation"][0]["loads"] == {"a": [2, 1], "b": [0, 1]}
    listed = run("snapshots", "--tables", lake, "--format", "json")
    (row,) = json.loads(listed.out)["snapshots"]
    assert (row["snapshot"], row["state"], row["members"]) == (SNAPSHOT, "whole", 2)
    assert row["clusters"] == ["c"]


def test_a_store_of_tables_is_not_written_over(run: Run, lake: str) -> None:
    output = run("plan", "--tables", lake, "--out-tables", lake)
    assert (output.code, is_one_line(output)) == (2, True)
    assert "output lake holds a store already: choose another schema for a plan" in (output.err)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("plan", "--out", "o"), "name a STORE, or --tables CATALOG.SCHEMA"),
        (("explain", "--group", "g"), "name a STORE, or --tables CATALOG.SCHEMA"),
        (
            ("audit", "store", "--tables", "x"),
            "STORE and --tables name two places: leave one of them out",
        ),
        (
            ("plan", "store"),
            "say where the result goes: --out FOLDER, or --out-tables CATALOG.SCHEMA",
        ),
        (
            ("compare", "store", "--out", "o", "--out-tables", "x"),
            "--out and --out-tables name two places: leave one of them out",
        ),
        (("verify", "store"), "name a PLAN, or --plan-tables CATALOG.SCHEMA"),
        (
            ("verify", "store", "plan", "--plan-tables", "x"),
            "PLAN and --plan-tables name two places: leave one of them out",
        ),
        (("snapshots", "--tables", "a b"), "'a b' can't be the name of a schema"),
    ],
)
def test_a_place_is_named_once(
    run: Run, asked: list[object], words: tuple[str, ...], sentence: str
) -> None:
    """And it is told before there is a session."""
    output = run(*words)
    assert (output.code, is_one_line(output)) == (2, True)
    assert sentence in output.err
    assert asked == []


def test_with_tables_the_argument_is_the_plan() -> None:
    assert store_and_plan("plan", None, "lake", None)[1] == "plan"
    assert store_and_plan("store", None, None, "results")[0] == "store"
