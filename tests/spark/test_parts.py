"""Part of a fleet: a cluster of it, or the groups that a pattern fits, in every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot
from spark.fleet.local_store import write_store
from tests.support.fleets import Fleet
from tests.support.odd_bytes import odd, write_odd_store
from tests.support.said import Run, is_one_line
from tests.support.small import rows

SIX, SEVEN = "20261121T060000Z", "20261121T070000Z"


def fleet_of(cluster: str) -> Fleet:
    """Each group has a member that owns what two could share."""
    fleet = Fleet().topic("t", 2, cluster=cluster)
    for row in fleet.rows["partitions"]:
        row |= {"leader": 1, "replicas": [1, 2], "isr": [1]}
    claims = [("t", 0, "a"), ("t", 1, "a")]
    for name in ("pay-1", "pay-2", "ship-1"):
        fleet.group(name, {"a": ["t"], "b": ["t"]}, claims, cluster=cluster)
    return fleet


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """West at six, east at seven."""
    write_store(fleet_of("west").tables(), tmp_path / "store", SIX)
    write_store(fleet_of("east").tables(), tmp_path / "store", SEVEN)
    return tmp_path / "store"


def planned(folder: Path, snapshot: str = SEVEN, table: str = "groups") -> set[tuple[str, str]]:
    return {(row["cluster"], row["group"]) for row in rows(folder / table, snapshot)}


@pytest.mark.parametrize(
    ("pattern", "fit"),
    [
        ("*", {"a*b", "a%b", "axb", r"caf\xe9", "é", "", "a\nb"}),
        ("a?b", {"a*b", "a%b", "axb", "a\nb"}),
        ("a%b", {"a%b"}),
        ("a_b", set()),
        ("caf*", {r"caf\xe9"}),
        (r"caf\xe9", {r"caf\xe9"}),
        (r"caf\x??", {r"caf\xe9"}),
        ("caf?", set()),
        ("?", {"é"}),
        ("*xb", {"axb"}),
    ],
)
def test_patterns(spark: SparkSession, tmp_path: Path, pattern: str, fit: set[str]) -> None:
    fleet = Fleet().topic("t", 1)
    for name in ("a*b", "a%b", "axb", "a\nb", odd(b"caf\xe9"), "é", ""):
        fleet.group(name, {"m": ["t"]})
    whole = FleetSnapshot.read(spark, str(write_odd_store(fleet, tmp_path)))
    part = whole.matching(group=pattern)
    result = part.tables["members"].selectExpr("cast(`group` as binary) as name").collect()
    assert {bytes(row.name).decode("utf-8", "backslashreplace") for row in result} == fit
    assert part.tables["partitions"].count() == 1
    assert part.has_groups() == bool(fit)


def test_the_part_of_a_snapshot(spark: SparkSession, store: Path) -> None:
    whole = FleetSnapshot.read(spark, str(store))
    part = whole.matching("west", "pay*")
    assert (part.id, part.instants, str(part.part)) == (
        *(SIX, {"west": SIX}),
        "groups matching 'pay*' of cluster west",
    )
    assert part.tables["groups"].count() == 2
    assert part.tables["partitions"].count() == 2
    assert whole.matching(group="pay*").id == SEVEN
    assert not whole.matching("north").has_groups()
    broken = FleetSnapshot(
        SEVEN, whole.tables | {"members": whole.tables["members"].selectExpr("*").limit(0)}
    )
    assert broken.matching("west").has_groups()


class TestPlan:
    """A plan of a part says so, and is verified as one."""

    def test_of_some_groups(self, run: Run, store: Path, tmp_path: Path) -> None:
        out = tmp_path / "plan"
        assert run("plan", store, "--out", out).code == 0
        output = run("plan", store, "--out", out, "--group", "pay*")
        report = f"Only groups matching 'pay*' were planned: {out} has no other groups of snapshot"
        assert (output.code, f"{report} {SEVEN}.\n" in output.err) == (0, True)
        items = {(cluster, f"pay-{n}") for cluster in ("east", "west") for n in (1, 2)}
        assert planned(out) == planned(out, table="assignments") == items
        output = run("verify", store, out)
        assert (output.code, "4 planned groups: no fault" in output.err) == (0, True)
        assert "The plan covers only groups matching 'pay*'.\n" in output.err
        words = ("--group", "pay-1", "--cluster", "west", "--out", tmp_path / "file")
        assert "no group.instance.id" in run("export-plan", store, out, *words).err
        output = run("verify", store, out, "--cluster", "west", "--group", "*-1")
        part = "1 planned groups among groups matching '*-1' of cluster west: no fault"
        assert (output.code, part in output.err) == (0, True)
        output = run("verify", store, out, "--group", "ship*")
        assert (output.code, is_one_line(output)) == (2, True)
        assert run("plan", store, "--out", out).code == 0
        assert len(planned(out)) == 6
        assert run("verify", store, out).err.count("planned groups: no fault") == 1

    def test_of_a_cluster(self, run: Run, store: Path, tmp_path: Path) -> None:
        """Its newest snapshot is what the plan is of."""
        out = tmp_path / "plan"
        output = run("plan", store, "--out", out, "--cluster", "west", "--format", "json")
        assert json.loads(output.out)["clusters"] == [{"cluster": "west", "snapshot": SIX}]
        assert {cluster for cluster, _ in planned(out, SIX)} == {"west"}
        assert run("verify", store, out).code == 0
        broken = rows(out / "groups", SIX)
        assert len(broken) == 3

    def test_of_all_snapshots(self, run: Run, store: Path, tmp_path: Path) -> None:
        out = tmp_path / "plan"
        output = run("plan", store, "--out", out, "--snapshot", "all", "--cluster", "west")
        assert (output.code, f"Skipped: snapshot {SEVEN} has no cluster 'west'" in output.err) == (
            0,
            True,
        )
        assert [path.name for path in (out / "groups").iterdir()] == [f"snapshot={SIX}"]
        output = run("plan", store, "--out", out, "--snapshot", "all", "--group", "none*")
        assert (output.code, output.out) == (2, "")
        assert f"no snapshot of store {store} has groups matching 'none*'" in output.err

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (("--cluster", "north"), "has no cluster 'north': it has 2 clusters (east, west)"),
            (("--group", "none*"), "has no groups matching 'none*'"),
            (("--group", "pay"), "has no groups matching 'pay'"),
            (
                ("--cluster", "west", "--group", "x?"),
                "has no groups matching 'x?' of cluster west",
            ),
        ],
    )
    def test_of_nothing(
        self, run: Run, store: Path, tmp_path: Path, words: tuple[str, ...], told: str
    ) -> None:
        for command in ("plan", "compare", "audit"):
            output = run(command, store, "--out", tmp_path / "out", *words)
            assert (output.code, is_one_line(output)) == (2, True)
            assert f"snapshot {SEVEN} {told}" in output.err
        assert not (tmp_path / "out").exists()


class TestVerify:
    """A snapshot that the store hasn't any more doesn't keep the others from being checked."""

    @pytest.fixture
    def plan(self, run: Run, store: Path, tmp_path: Path) -> Path:
        out = tmp_path / "plan"
        assert run("plan", store, "--out", out, "--snapshot", "all").code == 0
        for table in store.glob("[!.]*"):
            shutil.rmtree(table / f"snapshot={SIX}")
        return out

    def test_all(self, run: Run, store: Path, plan: Path) -> None:
        output = run("verify", store, plan)
        assert (output.code, output.out) == (2, "")
        assert f"Snapshot {SEVEN}, 3 planned groups: no fault" in output.err
        report = "1 of 2 snapshots of the plan are checked, the others can't be: "
        assert f"{report}{SIX}: store {store} has no snapshot {SIX}" in output.err

    def test_one(self, run: Run, store: Path, plan: Path) -> None:
        output = run("verify", store, plan, "--snapshot", SEVEN)
        assert (output.code, "no fault" in output.err) == (0, True)
        for snapshot, report in ((SIX, "has no snapshot"), ("x", f"it has {SIX}, {SEVEN}")):
            output = run("verify", store, plan, "--snapshot", snapshot)
            assert (output.code, is_one_line(output), report in output.err) == (2, True, True)


def test_compare(run: Run, store: Path, tmp_path: Path) -> None:
    words = ("--strategies", "current,range", "--group", "ship*", "--format", "json")
    output = run("compare", store, "--out", tmp_path / "out", *words)
    assert (output.code, "Only groups matching 'ship*' were compared.\n" in output.err) == (0, True)
    assert {row["groups"] for row in json.loads(output.out)["strategies"]} == {2}
    assert planned(tmp_path / "out", table="comparison") == {("east", "ship-1"), ("west", "ship-1")}


def test_audit(run: Run, store: Path, tmp_path: Path) -> None:
    """Of some groups nothing is told that is about a whole cluster; of a cluster all is."""
    items = ("--group", "pay-1", "--format", "json", "--out", tmp_path / "some")
    output = run("audit", store, *items)
    assert (output.code, "Only groups matching 'pay-1' were audited.\n" in output.err) == (0, True)
    printed = json.loads(output.out)
    assert printed["groups"] == [{"status": "ok", "groups": 2}]
    assert {row["group"] for row in rows(tmp_path / "some/findings", SEVEN)} <= {"pay-1"}
    why = "it is about a whole cluster, and only some groups are examined"
    not_run = {row["finding"] for row in printed["not_run"] if why in row["why"]}
    assert not_run == {
        *("coordinator-load", "under-replicated", "leaderless", "not-preferred-leader"),
        *("single-replica", "replica-skew", "leader-skew", "empty-broker"),
        "replicas-at-minimum",
        *("offline-if-broker-fails", "offline-if-rack-fails", "reassignment-stuck"),
        *("unread-topic", "bears-no-failure", "unclean-election", "broker-settings"),
    }
    output = run("audit", store, "--cluster", "west", "--out", tmp_path / "one")
    assert output.code == 0
    findings = rows(tmp_path / "one/findings", SIX)
    assert {row["cluster"] for row in findings} == {"west"}
    assert "under-replicated" in {row["finding"] for row in findings}
