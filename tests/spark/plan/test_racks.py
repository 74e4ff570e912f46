"""Racks over a fleet: goals by group, what is read across racks, what it costs, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat

GIGABYTE_A_DAY = 1e9 / 86_400


def fleet() -> Fleet:
    """Groups with a member in each of two racks, who read the wrong halves of a topic each."""
    made = Fleet()
    for number, (leader, other) in enumerate([("r1", "r2")] * 2 + [("r2", "r1")] * 2):
        made.add(
            "partitions",
            topic="t",
            partition=number,
            leader_rack=leader,
            replica_racks=[leader, other, "r3"],
            weight=GIGABYTE_A_DAY,
        )
    made.topic("plain", 2)
    wrong = [("t", 0, "b"), ("t", 1, "b"), ("t", 2, "a"), ("t", 3, "a")]
    for group in ("near", "far", "left-alone"):
        made.group(group, {"a": ["t"], "b": ["t"]}, wrong)
    made.group("nowhere", {"a": ["plain"], "b": ["plain"]}, [("plain", 0, "a"), ("plain", 1, "a")])
    for row in made.rows["members"]:
        row["rack"] = {"a": "r1", "b": "r2"}[row["member_id"]]
    return made


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write_store(fleet().tables(), tmp_path / "store", SNAPSHOT)
    return tmp_path / "store"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "evenfleet.toml"
    file.write_text("""
        [goals]
        rack = "leader"
        [[group]]
        match = "far"
        rack = "any"
        [[group]]
        match = "left-*"
        min_gain = 3
        [traffic]
        price_per_gb = 0.02
    """)
    return file


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    (part,) = (folder / f"snapshot={SNAPSHOT}").glob("*.parquet")
    return {row["group"]: row for row in pq.ParquetFile(part).read().to_pylist()}


def test_each_group_is_planned_by_its_own_goals(
    run: Run, store: Path, config: Path, tmp_path: Path
) -> None:
    """Reads within racks, what crosses them and its price; and `verify` proves it all."""
    plan = tmp_path / "plan"
    output = run("plan", store, "--out", plan, "--config", config, "--format", "json")
    assert output.code == 0, output.err
    groups = rows(plan / "groups")
    result = {
        group: (row["moves"], row["local_reads"], row["remote_reads"], row["racks_optimal"])
        for group, row in groups.items()
    }
    assert result == {
        "near": (4, 4, 0, True),
        "far": (0, 4, 0, True),
        "left-alone": (0, 0, 4, False),
        "nowhere": (1, None, None, None),
    }
    assert groups["near"]["current_remote_reads"] == 4
    assert groups["left-alone"]["reason"] == "not worth 4 moves"
    assert json.loads(groups["far"]["goals"])["rack"] == "any"
    traffic = rows(plan / "traffic")
    assert {
        group: (round(row["current_bytes"] / 1e9, 6), round(row["planned_bytes"] / 1e9, 6))
        for group, row in traffic.items()
    } == {"near": (4, 0), "far": (0, 0), "left-alone": (4, 4), "nowhere": (0, 0)}
    assert round(traffic["near"]["current_cost"], 9) == 0.08
    tables = json.loads(output.out)
    assert [round(row["cost a day"], 9) for row in tables["traffic"]] == [0.16, 0.08]
    assert [row["across racks"] for row in tables["fleet"]] == [8, 4]
    output = run("verify", store, plan, "--format", "json")
    assert (output.code, json.loads(output.out)["faults"]) == (0, [])


def test_options_override_the_file(run: Run, store: Path, config: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    words = ("--config", config, "--rack", "none", "--goal", "min_gain=0")
    assert run("plan", store, "--out", plan, *words).code == 0
    assert {row["goals"] for row in rows(plan / "groups").values()} == {None}
    assert not (plan / "traffic").exists()


def test_a_fleet_without_rack_facts_is_planned_all_the_same(run: Run, tmp_path: Path) -> None:
    small = Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    write_store(small.tables(), tmp_path / "store", SNAPSHOT)
    plan = tmp_path / "plan"
    assert run("plan", tmp_path / "store", "--out", plan, "--goal", "rack=any").code == 0
    row = rows(plan / "groups")["g"]
    assert (row["status"], row["max_load"], row["local_reads"]) == ("ok", 1, None)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--levels", "loads"), "levels is ('loads',) and must be a list of 'racks', 'moves', "),
        (("--min-gain", "-1"), "min_gain is -1.0 and must be a number from 0 to 1,000"),
        (("--goal", "min_gain=-1"), "min_gain is -1 and must be a number from 0 to 1,000"),
        (("--goal", "gain=1"), "goal 'gain=1' is not KEY=VALUE with a key of rack, levels, "),
    ],
)
def test_goals_that_make_no_sense(
    run: Run, store: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    output = run("plan", store, "--out", tmp_path / "plan", *words)
    assert output.code == 2
    assert sentence in output.err


def test_explain_says_why_each_partition_moves(run: Run, store: Path, config: Path) -> None:
    output = run("explain", store, "--group", "near", "--config", config)
    assert output.code == 0, output.err
    assert "Group near of cluster c is as even as possible" in output.err
    assert flat(output.out).count("fewer read") == 4
    output = run("explain", store, "--group", "nowhere", "--format", "json")
    (result,) = json.loads(output.out)["explanation"]
    assert result["loads"] == {"a": [2, 1], "b": [0, 1]}
    assert len(result["moves"]) == 1
    assert "which had 2" in result["moves"][0]


def test_a_group_that_nobody_knows(run: Run, store: Path) -> None:
    output = run("explain", store, "--group", "none such")
    assert output.code == 2
    assert output.err.endswith(f"snapshot {SNAPSHOT} has no group 'none such'\n")


def test_config_shows_what_is_in_force(run: Run, config: Path) -> None:
    output = run("config", "--config", config, "--format", "json")
    assert [row["goals of"] for row in json.loads(output.out)["goals"]] == [
        "groups far",
        "groups left-*",
        "all other groups",
    ]
    output = run("config", "--config", config, "--group", "left-over", "--format", "json")
    (row,) = json.loads(output.out)["goals"]
    assert row == {
        "goals of": "group left-over, by left-*",
        "rack": "leader",
        "levels": "racks, moves, hosts, spread",
        "min_gain": 3.0,
        "max_moves": "any",
        "limits": "none",
    }


def test_compare_shows_reads_under_each_strategy_and_what_the_optimum_saves(
    run: Run, store: Path, tmp_path: Path
) -> None:
    words = ("--rack", "leader", "--strategies", "current,roundrobin,optimal")
    output = run("compare", store, "--out", tmp_path / "out", *words)
    assert output.code == 0, output.err
    assert "optimal saves 12 of 12 reads across racks" in flat(output.err)
    (part,) = (tmp_path / "out" / "comparison" / f"snapshot={SNAPSHOT}").glob("*.parquet")
    result = {
        (row["group"], row["strategy"]): (row["local_reads"], row["remote_reads"])
        for row in pq.ParquetFile(part).read().to_pylist()
    }
    assert result[("near", "current")] == (0, 4)
    assert result[("near", "roundrobin")] == (2, 2)
    assert result[("near", "optimal")] == (4, 0)
    assert result[("nowhere", "optimal")] == (None, None)
