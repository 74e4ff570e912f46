"""`evenfleet export-plan`, and bad input of the commands that read what it writes."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.sql import SparkSession

from optimizer.assignor.plan_file import GroupPlan
from spark import FleetSnapshot, plan_fleet
from spark.enforce.export import SHARED, Exported, NoPlan
from spark.enforce.plan_folder import PlanFolder
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, check_refused, flat, is_one_line

NAMES = {2: "two", 3: "three", 4: "four", 5: "five"}
KEYS = {"m1": ("one", "app"), **{f"m{n}": (None, name) for n, name in NAMES.items()}}


def fleet() -> Fleet:
    """A group in two clusters, one that has no plan, and one whose members can't be told apart."""
    made = Fleet().topic("t", 4).topic("u", 1).topic("t", 1, cluster="d")
    made.group("g", {"m1": ["t"], "m2": ["t", "u"], "m3": []}, [("t", 0, "m2"), ("u", 0, "m2")])
    made.group("g", {"m1": ["t"]}, cluster="d", type="consumer")
    made.group("moving", {"m1": ["t"]}, state="PreparingRebalance")
    made.group("alike", {"n1": ["t"], "n2": ["t"]})
    made.group("unnamed", {"n1": ["t"]})
    made.group("workers", {"n1": ["t"]}, type="connect")
    made.group("../a b/é", {"m4": ["t"], "m5": ["t"]}, strategy="range")
    for row in made.rows["members"]:
        instance, client = KEYS.get(row["member_id"], (None, "same"))
        nobody = row["group"] == "unnamed"
        row |= {"instance_id": instance, "client_id": None if nobody else client}
    for row in made.rows["partitions"]:
        if (row["cluster"], row["topic"]) == ("c", "t"):
            row["topic_id"] = "11111111-2222-3333-4444-555555555555"
    return made


class Made(NamedTuple):
    """A store of the fleet, and its plan."""

    store: Path
    plan: Path


@pytest.fixture(scope="module")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("export")
    made = Made(folder / "store", folder / "plan")
    fleet().store(made.store)
    with plan_fleet(FleetSnapshot.read(spark, str(made.store))) as plan:
        plan.write(str(made.plan))
    return made


def test_the_plan_of_one_group(run: Run, made: Made, tmp_path: Path) -> None:
    """Members are named by instance id or client id; a store stays as it is after bad input."""
    file = tmp_path / "g.json"
    words = ("export-plan", *made, "--group")
    output = run(*words, "g", "--cluster", "c", "--out", file)
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
    for wrong, why in (
        (("g", "--out", file), "several clusters have a group 'g': choose its cluster of c, d"),
        (("g", "--cluster", "x", "--out", file), "no group 'g' of cluster 'x'"),
        (("x", "--out", file), "no group 'x'"),
        (("alike", "--out", file), "2 members share the client.id 'same'"),
        (("g", "--snapshot", "s0", "--out", file), "s0"),
        (("g", "--out", tmp_path / "no" / "file"), "a file in a folder that exists"),
        (("g", "--all", "--out", tmp_path), "either --group or --all"),
    ):
        refused = run(*words, *wrong)
        assert (refused.code, is_one_line(refused)) == (2, True), refused
        assert why in refused.err
    assert file.read_text() == text
    assert [*tmp_path.iterdir()] == [file]


def test_plans_of_many_groups(run: Run, made: Made, tmp_path: Path) -> None:
    """Into a folder with an index; what is there already and hasn't changed isn't touched."""
    folder = tmp_path / "plans"
    words = ("export-plan", *made, "--out", folder)
    output = run(*words, "--all")
    assert output.code == 0, output.err
    assert output.err.startswith("3 of 7 groups get a plan; 0 follow it today.\n")
    assert f"lists the plans of snapshot {SNAPSHOT}: 3 new, 0 changed, 0 unchanged" in output.err
    assert "1 rebalancing plan it when it is stable" in flat(output.out)
    assert "1 they ignore it: no PlanAssignor yet docs/plan_in_force.md" in flat(output.out)
    opened = PlanFolder(folder)
    assert [(entry.cluster, entry.group) for entry in opened.entries] == [
        *[("c", "../a b/é"), ("c", "g"), ("d", "g")]
    ]
    odd, _, of_new_protocol = map(opened.read, opened.entries)
    assert odd.group == "../a b/é"
    assert (of_new_protocol.protocol, of_new_protocol.member_ids) == ("consumer", {})
    assert {path.parent for path in folder.rglob("*")} == {folder, folder / "c", folder / "d"}
    index = json.loads((folder / "index.json").read_text())
    reasons = {item["group"]: item["reason"] for item in index["without_plan"]}
    wanted = {
        "alike": "2 members share the client.id 'same'",
        "moving": "it is rebalancing",
        "unnamed": "no group.instance.id and no client.id",
        "workers": "a cluster of Connect workers, which take no plan",
    }
    assert [name for name, why in wanted.items() if why in reasons.pop(name)] == [*wanted]
    assert reasons == {}
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
    refused = run(*words)
    assert (refused.code, is_one_line(refused)) == (2, True)
    (folder / "index.json").write_text("{}")
    assert "is no index of plans" in run(*words, "--all").err


def test_reasons_are_counted_by_kind(tmp_path: Path) -> None:
    """However many members share a name, and whatever that is; what is to be done stands beside."""
    shared = [NoPlan("c", f"g{n}", SHARED, f"{n} members share the client.id 'x{n}'") for n in "ab"]
    unread = NoPlan("c", "odd", "invalid", "has no plan, it is invalid: no names")
    written = PlanFolder(tmp_path).write(SNAPSHOT, [unread, *shared])
    assert not written.outcomes and not any(tmp_path.iterdir())
    assert written.summary(3) == "0 of 3 groups get a plan; 0 follow it today."
    assert [tuple(row.values()) for row in written.kinds()] == [
        (2, SHARED, "give each its own group.instance.id"),
        (1, "invalid", "see `evenfleet explain`"),
    ]


def test_groups_that_follow_their_plan_are_counted(tmp_path: Path) -> None:
    plans = [
        Exported(GroupPlan("c", name, "s1", {"a": {"t": [0]}}), ignored, follows)
        for name, ignored, follows in (("a", None, True), ("b", "why", False), ("c", None, False))
    ]
    written = PlanFolder(tmp_path).write("s1", plans)
    assert written.summary(9) == "3 of 9 groups get a plan; 1 follows it today."
    assert [row["groups"] for row in written.kinds()] == [1]


def test_earlier_plans_of_groups_that_have_none_now_are_removed(tmp_path: Path) -> None:
    """Not of groups that weren't asked for, nor of clusters of which the plan says nothing."""
    folder = tmp_path / "plans"
    names = [("c", "index"), ("c", "gone"), ("c", "moving"), ("c", "x"), ("d", "gone")]
    plans = [Exported(GroupPlan(*name, "s1", {"a": {"t": [0]}}), None) for name in names]
    PlanFolder(folder).write("s1", plans)
    written = PlanFolder(folder).write(
        "s2", [plans[0], NoPlan("c", "moving", "rebalancing", "moves")], "????*"
    )
    assert "Removed the earlier plans of 2 groups (gone, moving), which have none now." in [
        *written.report()
    ]
    for opened in (PlanFolder(folder), PlanFolder(folder)):
        left = [(entry.cluster, entry.group) for entry in opened.entries]
        assert left == [("c", "index"), ("c", "x"), ("d", "gone")]
        assert [opened.read(entry).group for entry in opened.entries] == ["index", "x", "gone"]
    assert sorted(path.stem for path in (folder / "c").iterdir()) == ["index", "x"]


def test_folders_that_hold_no_index_of_plans_say_what_to_name(run: Run, tmp_path: Path) -> None:
    """That of a cluster, in which a group may be called as the index is, and any other."""
    plan = Exported(GroupPlan("c", "index", "s1", {"a": {"t": [0]}}), None)
    PlanFolder(tmp_path / "plans").write("s1", [plan])
    for folder, why in (
        ("plans/c", "is one cluster's part of a folder of plans"),
        (".", "has no index.json that lists plans: name what export-plan filled"),
    ):
        output = run("enforce", tmp_path / folder, "--bootstrap", "127.0.0.1:1")
        assert (output.code, is_one_line(output), why in output.err) == (2, True, True)
    assert (
        f"name the folder {tmp_path / 'plans'}, and choose cluster 'c'"
        in run("watch", tmp_path / "plans/c", "--bootstrap", "127.0.0.1:1").err
    )


@pytest.mark.parametrize("command", ["watch", "enforce"])
def test_bad_plans_and_unreachable_clusters(run: Run, tmp_path: Path, command: str) -> None:
    """No plan is bad input; a cluster that can't be reached is a run that failed."""
    file, server = tmp_path / "plan.json", ("--bootstrap", "127.0.0.1:1")
    check_refused(run(command, file, *server), "there is no plan in")
    file.write_text('{"format": "evenfleet-plan", "version": 9}')
    check_refused(run(command, file, *server), "version 9")
    file.write_text(
        '{"format": "evenfleet-plan", "version": 1, "cluster": "c", "group": "g",'
        ' "snapshot": "s", "members": {"a": {"t": [0]}}}'
    )
    assert run(command, file).code == 2
    output = run(command, file, *server)
    assert (output.code, is_one_line(output)) == (3, True)
    assert "cluster c can't be reached" in output.err
