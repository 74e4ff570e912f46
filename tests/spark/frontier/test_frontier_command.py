"""`evenfleet frontier`, as a user runs it, with Spark and without."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot, frontier_of_group
from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat, is_one_line


def fleet() -> Fleet:
    """a of `lopsided` owns twelve, b and d three each, c has joined; `even` is as it should be."""
    owners = "a" * 12 + "b" * 3 + "d" * 3
    claims = [("t", p, owner) for p, owner in enumerate(owners)]
    made = Fleet().topic("t", 18).topic("u", 2)
    made.group("lopsided", {member: ["t"] for member in "abcd"}, claims)
    made.group("even", {"a": ["u"], "b": ["u"]}, [("u", 0, "a"), ("u", 1, "b")])
    steep = "a" * 8 + "b" * 4 + "c" * 4 + "d" * 4 + "e" * 4
    made.topic("v", 24).group(
        "steep", {m: ["v"] for m in "abcdefgh"}, [("v", p, owner) for p, owner in enumerate(steep)]
    )
    return made.group("gone", {})


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write_store(fleet().tables(), tmp_path / "store", SNAPSHOT)
    return tmp_path / "store"


def test_each_load_has_its_fewest_moves_and_a_sentence_tells_the_knee(
    run: Run, store: Path
) -> None:
    output = run("frontier", store, "--group", "lopsided")
    assert output.code == 0, output.err
    assert "Group lopsided of cluster" in output.err
    assert "7 moves bring the largest load from 12 to 5, each about as much" in flat(output.err)
    assert [line.split()[:2] for line in output.out.splitlines() if line.split()[:1] == ["3"]] == [
        ["3", "9"]
    ]


def test_for_programs_a_row_with_its_points(run: Run, store: Path) -> None:
    output = run("frontier", store, "--group", "lopsided", "--format", "json")
    (row,) = json.loads(output.out)["frontier"]
    assert [(point["moves"], point["max_load"]) for point in row["points"]] == [
        (moves, 12 - moves) for moves in range(8)
    ]
    assert (row["current_max_load"], row["balanced_moves"]) == (12, 7)
    priced = ("--move-cost", "30s", "--format", "json")
    points = json.loads(run("frontier", store, "--group", "lopsided", *priced).out)["frontier"]
    assert [point["move_seconds"] for point in points[0]["points"]] == [30 * n for n in range(8)]
    even = json.loads(run("frontier", store, "--group", "even", "--format", "json").out)
    assert even["frontier"][0]["sentence"] == "No move makes the largest load lower than 1."


def test_a_group_without_a_plan_has_its_reason_and_none_is_one_line(run: Run, store: Path) -> None:
    output = run("frontier", store, "--group", "gone")
    assert (output.code, output.out) == (0, "")
    assert "is empty" in output.err
    none = run("frontier", store, "--group", "nobody's")
    assert none.code == 2
    assert is_one_line(none)


def test_limits_count_and_a_clash_is_the_groups_reason(run: Run, store: Path) -> None:
    words = ("frontier", store, "--group", "even", "--format", "json", "--goal")
    (row,) = json.loads(run(*words, "exclude=a").out)["frontier"]
    assert [(point["moves"], point["max_load"]) for point in row["points"]] == [(1, 2)]
    output = run(*words, "max_partitions=0")
    assert output.code == 0
    (row,) = json.loads(output.out)["frontier"]
    assert (row["status"], row["points"]) == ("failed", [])
    assert row["reason"].startswith("its limits can't be met: at most 0 partitions")


def test_dataframes_say_the_same(spark: SparkSession, store: Path) -> None:
    of_frames = frontier_of_group(FleetSnapshot.read(spark, str(store)), "lopsided")
    assert of_frames == frontier_of_group(FleetFiles.read(str(store)), "lopsided")


def test_a_knee_is_where_more_moves_bring_little(run: Run, store: Path) -> None:
    """Four moves take the worst off; below that each of five members has to give one."""
    output = run("frontier", store, "--group", "steep")
    assert "4 moves bring 80 % of what 9 would, which bring the largest load from 8 to 3." in flat(
        output.err
    )
    (row,) = [line for line in output.out.splitlines() if "most for its moves" in line]
    assert row.split()[:2] == ["4", "4"]


def heavy(path: Path) -> Path:
    """a owns all of t, of which two partitions weigh most; b has joined."""
    owned = [("t", p, "a") for p in range(12)]
    made = Fleet().topic("t", 12).group("g", {"a": ["t"], "b": ["t"]}, owned).group("gone", {})
    for row, weight in zip(made.rows["partitions"], [50.0, 30.0, *[2.0] * 10], strict=True):
        row["weight"] = weight
    write_store(made.tables(), path, SNAPSHOT)
    return path


def test_by_weight_a_row_has_what_was_found_and_what_none_is_below(
    run: Run, tmp_path: Path
) -> None:
    words = ("frontier", heavy(tmp_path / "store"), "--group", "g", "--weight", "column")
    output = run(*words)
    assert output.code == 0, output.err
    assert [line.split()[:4] for line in output.out.splitlines() if line.split()[:1] == ["1"]] == [
        ["1", "50", "50", "100"]
    ]
    report = "1 move brings the largest load by weight from 100 to 50, each about as much as the"
    assert report in flat(output.err)
    assert "no plan is below 50 (gap 0.00 %)" in flat(output.err)
    (row,) = json.loads(run(*words, "--format", "json").out)["frontier"]
    assert (row["current_max_weight"], row["weight_bound"]) == (
        pytest.approx(100),
        pytest.approx(50),
    )
    assert [sorted(point) for point in row["points"]] == [
        ["gain", "knee", "max_weight", "moves", "weight_bound"]
    ] * 2
    output = run("explain", *words[1:])
    assert "the largest load by weight of 2 members is 100, and no plan's is below 50" in flat(
        output.err
    )
    assert "The plan makes it 50, by 1 move." in flat(output.err)
    assert ["a", "100", "50", "12", "11"] in [line.split() for line in output.out.splitlines()]
    refused = run(*words, "--goal", "max_partitions=3")
    assert (refused.code, refused.out) == (0, "")
    assert "what moves buy isn't worked out under max_partitions: leave it out here, or" in flat(
        refused.err
    )


def test_weights_that_a_store_lacks_and_that_are_none_are_one_line(run: Run, store: Path) -> None:
    for weight, report in (
        ("lag", "has no table offsets"),
        ("bytes", "bytes"),
        ("rate", "offsets"),
    ):
        output = run("frontier", store, "--group", "even", "--weight", weight)
        assert (output.code, is_one_line(output)) == (2, True), output.err
        assert report in output.err
