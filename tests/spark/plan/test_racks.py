"""Racks over a fleet: goals by group, what is read across racks, what it costs, and why."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from optimizer import Goals
from spark.compare.measure import rows_of_group
from spark.settings import FleetGoals
from spark.solve import TimeLimit, planned_groups
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.rows import rows_of
from tests.support.said import Run, flat
from tests.support.terminal import tables_of

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
    return fleet().store(tmp_path / "store")


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
    tables = tables_of(output)
    assert [round(row["cost_a_day"], 9) for row in tables["traffic"]] == [0.16, 0.08]
    assert [row["across_racks"] for row in tables["fleet"]] == [8, 4]
    output = run("verify", store, plan, "--format", "json")
    assert (output.code, tables_of(output)["faults"]) == (0, [])


def test_options_override_the_file(run: Run, store: Path, config: Path) -> None:
    """Where racks don't count, nothing is to be moved in this group."""
    words = ("explain", store, "--group", "near", "--config", config)
    by_file = run(*words)
    assert "Group near of cluster c is as even as possible" in by_file.err
    assert flat(by_file.out).count("fewer read") == 4
    assert "fewer read" not in run(*words, "--rack", "none").out
    for option, value, sentence in (
        ("--levels", "loads", "levels is ('loads',) and must be a list of 'racks', 'moves', "),
        ("--min-gain", "-1", "min_gain is -1.0 and must be a number from 0 to 1,000"),
        ("--goal", "gain=1", "goal 'gain=1' is not KEY=VALUE with a key of rack, levels, "),
        ("--goal", "rack=any --goal rack=leader", "--goal rack is given twice: give one value"),
    ):
        answer = run(*words, option, *value.split())
        assert answer.code == 2
        assert sentence in answer.err


def test_config_shows_what_is_in_force(run: Run, config: Path) -> None:
    output = run("config", "--config", config, "--format", "json")
    names = [row["goals_of"] for row in tables_of(output)["goals"]]
    assert names == ["groups far", "groups left-*", "all other groups"]
    output = run("config", "--config", config, "--group", "left-over", "--format", "json")
    (row,) = tables_of(output)["goals"]
    assert row == {"goals_of": "group left-over, by left-*", "rack": "leader"} | {
        **{"levels": "racks, moves, hosts, spread", "min_gain": 3.0},
        **{"max_moves": "any", "limits": "none"},
    }


def test_compare_counts_reads_under_each_strategy() -> None:
    strategies, result = ["current", "roundrobin", "optimal"], {}
    for group in ("near", "nowhere"):
        with TimeLimit(60) as limit:
            row = rows_of(fleet(), group, racks=True)
            (planned,) = planned_groups([row], "optimal", FleetGoals(Goals(rack="leader")))
            for of in rows_of_group(planned, strategies, limit):
                result[group, of.strategy] = (of.local_reads, of.remote_reads)
    assert result == {
        **{("near", "current"): (0, 4), ("near", "roundrobin"): (2, 2)},
        ("near", "optimal"): (4, 0),
        **{("nowhere", strategy): (None, None) for strategy in strategies},
    }
