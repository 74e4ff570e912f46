"""`evenfleet explain` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run


def test_who_coordinates_the_group_and_where_its_offsets_are(run: Run, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 1).topic("__consumer_offsets", 50)
    fleet.rows["partitions"][13]["leader"] = 3
    fleet.group("test-group", {"a": ["t"]}).group("no-members", {}, coordinator=7)
    write_store(fleet.tables(), tmp_path, SNAPSHOT)
    output = run("explain", tmp_path, "--group", "test-group")
    assert output.code == 0
    assert (
        "\nIts offsets are in __consumer_offsets-12, led by broker 3, the likely coordinator.\n"
    ) in output.err
    output = run("explain", tmp_path, "--group", "no-members", "--format", "json")
    (result,) = json.loads(output.out)["explanation"]
    assert (result["coordinator"], result["coordinator_inferred"]) == (7, False)
    assert result["seat"].endswith(", which has no leader; broker 7 coordinates it")


def test_a_group_without_a_plan_has_no_frontier_to_go_on_with(run: Run, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 1).group("planned", {"a": ["t"]}).group("nobody", {})
    write_store(fleet.tables(), tmp_path, SNAPSHOT)
    assert "Next: " in run("explain", tmp_path, "--group", "planned").err
    output = run("explain", tmp_path, "--group", "nobody")
    assert output.code == 0
    assert "Next: " not in output.err


def test_who_owns_the_tasks_of_streams(run: Run, tmp_path: Path) -> None:
    """It has no plan, and what its members have is shown all the same."""
    owned = [("t", 0, "a"), ("t", 1, "a"), ("t", 2, "b")]
    both = {"a": ["t"], "b": ["t"]}
    fleet = Fleet().topic("t", 3).group("app", both, owned, state="Stable", strategy="stream")
    write_store(fleet.tables(), tmp_path, SNAPSHOT)
    output = run("explain", tmp_path, "--group", "app", "--format", "json")
    (result,) = json.loads(output.out)["explanation"]
    assert (result["status"], result["owned"], result["loads"]) == (
        "unsupported",
        {"a": 2, "b": 1},
        {},
    )
    output = run("explain", tmp_path, "--group", "app")
    assert [line.split() for line in output.out.splitlines() if line.split()[:1] == ["a"]] == [
        ["a", "2"]
    ]


def test_it_begins_with_how_the_group_is(run: Run, store: Path) -> None:
    """And has the first of what there is, unless all is asked for."""
    text = run("explain", store, "--group", "g").err
    assert "could be more even (status ok): 2 members have from 0 to 2 partitions each." in text
    assert "The plan gives them 1 partition each, by 1 move." in text


def test_all_is_shown_if_asked_for(run: Run, tmp_path: Path) -> None:
    members = {f"m-{number:02d}": ["t"] for number in range(30)}
    owned = [("t", partition, "m-00") for partition in range(30)]
    fleet = Fleet().topic("t", 30).group("wide", members, owned)
    write_store(fleet.tables(), tmp_path, SNAPSHOT)
    few = run("explain", tmp_path, "--group", "wide")
    assert "Not shown: 20 rows of loads (--all shows them)." in few.err
    assert few.out.count("moves from") == 10
    as_csv = run("explain", tmp_path, "--group", "wide", "--csv")
    assert (len(as_csv.out.splitlines()), "Not shown" in as_csv.err) == (31, False)
    every = run("explain", tmp_path, "--group", "wide", "--all")
    assert every.out.count("moves from") == 29
    assert "--all shows" not in every.err
