"""`evenfleet export-plan`, and bad input of the commands that read what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from optimizer.assignor.plan_file import GroupPlan
from spark import FleetSnapshot, InputError
from spark.enforce.export import NoPlan, group_plan
from spark.enforce.plan_folder import PlanFolder
from spark.fleet.local_store import write_store
from spark.fleet.results import read_result
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, is_one_line

KEYS = {"m1": ("one", "app"), "m2": (None, "two"), "m3": (None, "three")}


def fleet() -> Fleet:
    """A group in two clusters, one that has no plan, and one whose members can't be told apart."""
    made = Fleet().topic("t", 4).topic("u", 1).topic("t", 1, cluster="d")
    made.group("g", {"m1": ["t"], "m2": ["t", "u"], "m3": []}, [("t", 0, "m2"), ("u", 0, "m2")])
    made.group("g", {"m1": ["t"]}, cluster="d", type="consumer")
    made.group("moving", {"m1": ["t"]}, state="PreparingRebalance")
    made.group("alike", {"n1": ["t"], "n2": ["t"]})
    made.group("unnamed", {"n1": ["t"]})
    made.group("workers", {"n1": ["t"]}, type="connect")
    for row in made.rows["members"]:
        instance, client = KEYS.get(row["member_id"], (None, "same"))
        nobody = row["group"] == "unnamed"
        row |= {"instance_id": instance, "client_id": None if nobody else client}
    for row in made.rows["partitions"]:
        if (row["cluster"], row["topic"]) == ("c", "t"):
            row["topic_id"] = "11111111-2222-3333-4444-555555555555"
    return made


def test_export_plan(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    """Members are named by instance id or client id; what can't be exported is bad input."""
    store, out, file = tmp_path / "store", tmp_path / "plan", tmp_path / "g.json"
    write_store(fleet().tables(), store, SNAPSHOT)
    assert run("plan", store, "--out", out).code == 0
    output = run("export-plan", store, out, "--group", "g", "--cluster", "c", "--out", file)
    assert output.code == 0
    assert "3 members, 5 partitions" in output.err
    text = file.read_text()
    plan = GroupPlan.from_text(text)
    assert (plan.cluster, plan.group, plan.snapshot) == ("c", "g", SNAPSHOT)
    assert plan.members == {
        "one": {"t": [1, 3]},
        "two": {"t": [0, 2], "u": [0]},
        "three": {},
    }
    assert (plan.protocol, plan.topic_ids) == ("classic", {"t": "ERERESIiMzNERFVVVVVVVQ"})
    refused = run("export-plan", store, out, "--group", "g", "--out", file)
    assert (refused.code, is_one_line(refused)) == (2, True), refused
    assert "several clusters have a group 'g': choose its cluster of c, d" in refused.err
    lacking = run("export-plan", store, out, "--group", "g", "--snapshot", "s0", "--out", file)
    assert (lacking.code, is_one_line(lacking)) == (2, True)
    nowhere = run("export-plan", store, out, "--group", "g", "--out", tmp_path / "no" / "file")
    assert (nowhere.code, is_one_line(nowhere)) == (2, True)
    assert file.read_text() == text
    assert {path.name for path in tmp_path.iterdir()} == {"store", "plan", "g.json"}

    wrong = {
        ("g", "x"): "no group 'g' of cluster 'x'",
        ("x", None): "no group 'x'",
        ("moving", None): "it is rebalancing",
        ("alike", None): "2 of them share the key 'same'",
        ("unnamed", None): "no group.instance.id and no client.id",
        ("workers", None): "a cluster of Connect workers, which take no plan",
    }
    snapshot = FleetSnapshot.read(spark, str(store))
    groups, assignments = (
        read_result(spark, str(out), name, SNAPSHOT).rows for name in ("groups", "assignments")
    )
    new_protocol = group_plan(snapshot, groups, assignments, "g", "d")
    assert (new_protocol.protocol, new_protocol.member_ids) == ("consumer", {})
    for (group, cluster), why in wrong.items():
        with pytest.raises(InputError, match=why):
            group_plan(snapshot, groups, assignments, group, cluster)


def test_plans_of_many_groups(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    """Into a folder with an index; what is there already and hasn't changed isn't touched."""
    store, out, folder = tmp_path / "store", tmp_path / "plan", tmp_path / "plans"
    made = fleet().group("../a b/é", {"m1": ["t"], "m2": ["t"]}, strategy="range")
    for row in made.rows["members"]:
        if row["group"] == "../a b/é":
            row["client_id"] = row["member_id"]
    write_store(made.tables(), store, SNAPSHOT)
    assert run("plan", store, "--out", out).code == 0
    words = ("export-plan", store, out, "--out", folder)
    output = run(*words, "--all")
    assert output.code == 0, output.err
    assert f"plans of 3 groups of snapshot {SNAPSHOT}: 3 new, 0 changed, 0 unchanged" in output.err
    assert "No plan of 1 group (moving), which has no plan, it is rebalancing" in output.err
    assert "Of 1 group (../a b/é): its members use range: the plan would be ignored" in output.err
    opened = PlanFolder(folder)
    assert [(entry.cluster, entry.group) for entry in opened.entries] == [
        *[("c", "../a b/é"), ("c", "g"), ("d", "g")]
    ]
    odd = opened.entries[0]
    assert opened.read(odd).group == "../a b/é"
    assert {path.parent for path in folder.rglob("*")} == {folder, folder / "c", folder / "d"}
    index = json.loads((folder / "index.json").read_text())
    assert [item["group"] for item in index["without_plan"]] == [
        "alike",
        "moving",
        "unnamed",
        "workers",
    ]
    (ignored,) = index["ignored"]
    assert (ignored["cluster"], ignored["group"]) == ("c", "../a b/é")
    assert ignored["reason"].startswith("its members use range")
    (folder / "d" / "g.json").write_text("cut short")
    before = {file: file.stat().st_ino for file in folder.rglob("*.json")}
    output = run(*words, "--group", "?")
    assert "1 new, 0 changed, 1 unchanged" in output.err
    replaced = {file for file in before if file.stat().st_ino != before[file]}
    assert replaced == {folder / "d" / "g.json", folder / "index.json"}
    assert len(PlanFolder(folder).entries) == 3
    assert is_one_line(run(*words, "--group", "nobody*"))
    for wrong in ((), ("--all", "--group", "g")):
        refused = run(*words, *wrong)
        assert (refused.code, is_one_line(refused)) == (2, True)
    (folder / "index.json").write_text("{}")
    assert "is no index of plans" in run(*words, "--all").err


def test_reasons_that_are_not_told_are_counted(tmp_path: Path) -> None:
    result = [NoPlan("c", f"g{n}", f"has reason {n // 2}") for n in range(14)]
    written = PlanFolder(tmp_path).write(SNAPSHOT, result)
    assert not written.outcomes and not any(tmp_path.iterdir())
    report = " ".join(written.reasons())
    assert "No plan of 2 groups (g8, g9), which has reason 4." in report
    assert "reason 5" not in report
    assert "And 4 groups for 2 other reasons: index.json has all." in report


@pytest.mark.parametrize("command", ["watch", "enforce"])
def test_bad_plans_and_unreachable_clusters(run: Run, tmp_path: Path, command: str) -> None:
    """No plan is bad input; a cluster that can't be reached is a run that failed."""
    file, server = tmp_path / "plan.json", ("--bootstrap", "127.0.0.1:1")
    output = run(command, file, *server)
    assert (output.code, is_one_line(output)) == (2, True)
    assert "there is no plan in" in output.err
    file.write_text('{"format": "evenfleet-plan", "version": 9}')
    output = run(command, file, *server)
    assert (output.code, is_one_line(output)) == (2, True)
    assert "version 9" in output.err
    file.write_text(
        '{"format": "evenfleet-plan", "version": 1, "cluster": "c", "group": "g",'
        ' "snapshot": "s", "members": {"a": {"t": [0]}}}'
    )
    assert run(command, file).code == 2
    output = run(command, file, *server)
    assert (output.code, is_one_line(output)) == (3, True)
    assert "cluster c can't be reached" in output.err
