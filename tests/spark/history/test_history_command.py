"""`evenfleet history`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark.fleet.local_store import write_store
from tests.spark.history.test_changes import group
from tests.support.histories import HOURS
from tests.support.said import Run, flat, is_one_line


@pytest.fixture
def past(tmp_path: Path) -> Path:
    """A group in which partitions move, needlessly, and one member crashes."""
    fleets = [
        group("aabb", generation=1),
        group("aabb", generation=1),
        group("abab", generation=2),
        group("aaaa", generation=3),
    ]
    for snapshot, fleet in zip(HOURS, fleets, strict=False):
        write_store(fleet.tables(), tmp_path / "store", snapshot)
    return tmp_path / "store"


def test_each_snapshot_is_written_by_itself_and_those_of_other_runs_stay(
    run: Run, spark: SparkSession, past: Path, tmp_path: Path
) -> None:
    """First two snapshots between which nothing happens, then the rest."""
    out = tmp_path / "out"
    output = run("history", past, "--out", out, "--until", HOURS[1], "--format", "json")
    assert json.loads(output.out) == {"restless groups": [], "groups that got worse": []}
    assert spark.read.parquet(str(out / "changes")).isEmpty()
    assert spark.read.parquet(str(out / "rebalances")).isEmpty()

    output = run("history", past, "--out", out, "--since", "2h")
    assert output.code == 0
    assert "restless groups" in output.out
    assert f"Read 3 snapshots from {HOURS[1]} to {HOURS[3]}: 1 cluster (c)." in output.err
    sentence = "2 rebalances and 2 changes: 2 partitions moved, 2 of them needlessly, and 2 were"
    assert sentence in flat(output.err)
    states = spark.read.parquet(str(out / "states"))
    assert sorted(row.snapshot for row in states.collect()) == HOURS[:4]
    changes = spark.read.parquet(str(out / "changes"))
    assert [(row.snapshot, row.moves) for row in changes.orderBy("snapshot").collect()] == [
        (HOURS[2], 2),
        (HOURS[3], 0),
    ]
    assert (out / "changes" / f"snapshot={HOURS[2]}").is_dir()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--since", "last week"], "'last week' is neither an id such as"),
        (["--since", HOURS[2], "--until", HOURS[1]], f"--until {HOURS[1]} is before --since"),
        (["--since", HOURS[9]], "has no whole snapshot in that time"),
        (["--cluster", "x"], "no snapshot of that time has 'x': there is 1 cluster (c)"),
        (["--group", "x*"], "no snapshot of that time has groups matching 'x*'"),
    ],
)
def test_wrong_options_are_told_in_a_sentence(
    run: Run, past: Path, tmp_path: Path, options: list[str], sentence: str
) -> None:
    output = run("history", past, "--out", tmp_path / "out", *options)
    assert output.code == 2
    assert is_one_line(output)
    assert sentence in output.err
    assert not (tmp_path / "out").exists()


def test_results_do_not_go_into_the_store(run: Run, past: Path) -> None:
    output = run("history", past, "--out", past)
    assert output.code == 2
    assert "holds a store already" in output.err
