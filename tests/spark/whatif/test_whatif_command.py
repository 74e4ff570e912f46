"""`evenfleet whatif`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat, is_one_line
from tests.support.small import rows


@pytest.fixture
def store(tmp_path: Path) -> Path:
    fleet = Fleet().topic("t", 6).topic("u", 2)
    owned = [("t", p, "abc"[p // 2]) for p in range(6)]
    fleet.group("orders", {item: ["t"] for item in "abc"}, owned, strategy="range")
    fleet.group("other", {"x": ["u"]}, [("u", 0, "x"), ("u", 1, "x")], strategy="range")
    for row in fleet.rows["members"]:
        row["rack"] = {"a": "r1"}.get(row["member_id"], "r2")
    write_store(fleet.tables(), tmp_path / "store", SNAPSHOT)
    return tmp_path / "store"


def test_it_tells_what_comes_of_it_and_keeps_it(run: Run, store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    output = run(
        *("whatif", store, "--event", "crash-rack=r1", "--strategies", "current,optimal"),
        *("--out", out),
    )
    assert output.code == 0
    assert "orders" in output.out
    assert "3 → 2" in output.out
    assert "The events don't apply to 1 group." in output.err
    result = {(row["group"], row["strategy"]): row for row in rows(out / "whatif")}
    assert len(result) == 4
    assert result["orders", "current"]["members_after"] == 2
    assert result["other", "optimal"]["status"] == "unaffected"


def test_json_is_for_programs(run: Run, store: Path) -> None:
    words = ("--event", "grow=t:12", "--group", "orders", "--strategies", "range")
    output = run("whatif", store, *words, "--move-cost", "2GB", "--format", "json")
    assert output.code == 0
    report = json.loads(output.out)
    assert [row["partitions_after"] for row in report["groups"]] == [12]
    assert report["strategies"][0]["groups"] == 1
    for row in report["groups"] + report["strategies"]:
        assert row["move_bytes"] == 2 * 10**9 * row["moves"] > 0


def test_by_weight_members_are_planned_by_what_they_can_take(run: Run, tmp_path: Path) -> None:
    """b can take twice as much; c goes. Range gives a what weighs 10, the best is 4 and 8."""
    fleet = Fleet().topic("t", 4)
    owned = [("t", p, item) for p, item in enumerate("aabc")]
    fleet.group("g", {item: ["t"] for item in "abc"}, owned, strategy="range")
    for row, weight in zip(fleet.rows["partitions"], (6.0, 4.0, 1.0, 1.0), strict=True):
        row["weight"] = weight
    for row in fleet.rows["members"]:
        row["capacity"] = {"b": 2.0}.get(row["member_id"])
    write_store(fleet.tables(), tmp_path / "store", SNAPSHOT)
    out, words = tmp_path / "out", ("--event", "crash=c", "--strategies", "current,optimal")
    output = run("whatif", tmp_path / "store", *words, "--weight", "column", "--out", out)
    assert output.code == 0, output.err
    result = {row["strategy"]: row for row in rows(out / "whatif")}
    for name, most in (("current", 10), ("optimal", 4)):
        assert result[name]["max_weight_after"] == pytest.approx(most)
        assert result[name]["weight_bound_after"] == pytest.approx(4)
    assert "at 2.5 times the bound under current, and 1 times the bound under" in flat(output.err)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ((), "give an event: --event crash-rack=eu-west-a"),
        (("--event", "explode=3"), "unknown event 'explode'"),
        (("--event", "leave=z"), "leave=z doesn't apply to any of 2 groups: no member has the"),
        (("--event", "grow=t:3"), "grow=t:3 doesn't apply to any of 2 groups: "),
        (("--event", "members=-3"), "the number of members is -3, a negative number"),
        (
            ("--event", "crash-rack=r9", "--group", "orders"),
            "doesn't apply to the group: no member",
        ),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    run: Run, store: Path, words: tuple[str, ...], fault: str
) -> None:
    output = run("whatif", store, *words)
    assert output.code == 2
    assert is_one_line(output)
    assert fault in output.err


def test_a_broker_that_is_down_leaves_leaders_and_groups_behind(run: Run, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 4).topic("u", 2).topic("v", 1)
    fleet.group("both", {"a": ["t", "v"]}, [*(("t", p, "a") for p in range(4)), ("v", 0, "a")])
    fleet.group("alone", {"x": ["u"]}, [("u", 0, "x"), ("u", 1, "x")])
    fleet.group("paused", {"y": ["v"]}, [("v", 0, "y")])
    placed = {"t": [[3, 1], [1, 3], [3, 2, 1], [2, 3]], "u": [[3], [3, 1]], "v": [[3, 2]]}
    for row in fleet.rows["partitions"]:
        replicas = placed[row["topic"]][row["partition"]]
        in_sync = [3] if row["topic"] == "u" else replicas
        row |= {"leader": replicas[0], "replicas": replicas, "isr": in_sync, "weight": 2.0}
    write_store(fleet.tables(), tmp_path / "store", SNAPSHOT)
    words = "whatif", tmp_path / "store", "--event", "broker-down=3", "--strategies", "range"
    text = flat(run(*words).err)
    assert "Broker 3 led 5 partitions. Then they are led by broker 2 2, broker 1 1." in text
    assert "By weight, broker 2 gets most." in text
    assert "2 partitions (u-0, u-1) have no leader: no other replica is in sync." in text
    assert "1 group (alone) reads nothing until it is back." in text
    assert "1 group (paused) reads nothing until others lead (" in text
    report = json.loads(run(*words, "--format", "json").out)
    leads = {row["broker"]: (row["leads_before"], row["leads_after"]) for row in report["leaders"]}
    assert leads == {1: (1, 2), 2: (1, 3), 3: (5, 0)}
    assert [(row["topic"], row["partition"]) for row in report["without leader"]] == [
        ("u", 0),
        ("u", 1),
    ]
    hit = {
        row["group"]: (row["partitions"], row["led"], row["leaderless"])
        for row in report["groups hit"]
    }
    assert hit == {"alone": (2, 2, 2), "paused": (1, 1, 0), "both": (5, 3, 0)}
