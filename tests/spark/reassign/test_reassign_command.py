"""`evenfleet reassign` on what Kafka's own tools printed of a cluster, and docs/reassign.md."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot
from spark.reassign import ReassignRequest, cluster_facts, compare, reassign_cluster
from spark.terminal.console import OUT
from tests.paths import DATA, ROOT
from tests.spark.reassign.captures import CAPTURES, GROUPS, reassigned, replicas_in, stored
from tests.support.fleets import Fleet
from tests.support.said import Run, check_refused, flat


def sentences_of(report: Any) -> list[str]:
    return [row["sentence"] for row in report["sentences"]]


def brokers_of(report: Any) -> dict[int, Any]:
    return {row["broker"]: row for row in report["brokers"]}


def test_an_empty_broker_gets_its_share(run: Run, asked: list[Any], before: Path) -> None:
    report = reassigned(run, before, "--batch-copies", 4)
    assert asked == []  # no session is needed
    brokers = brokers_of(report)
    assert [brokers[b]["replicas"] for b in (1, 2, 3, 4)] == [12, 12, 12, 0]
    assert [brokers[b]["planned"] for b in (1, 2, 3, 4)] == [8, 10, 10, 8]
    assert {row["planned_leaders"] for row in report["brokers"]} == {4}
    copies = {row["placement"]: row["copies"] for row in report["compared"]}
    assert (copies["optimal"], copies["now"]) == (8, 0)
    assert all(row["copies"] <= 4 for row in report["batches"])
    assert report["plan"][0]["optimal"] == "optimal"


def test_files_of_a_batch_begin_where_the_one_before_ended(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--batch-copies", 2, "--per-broker", 1)
    moves = before.parent / "moves"
    count = len(report["batches"])
    assert count == 8  # broker 4 receives all eight, one a batch
    facts = cluster_facts(FleetFiles.read(str(before)))
    now = {(item.topic, item.partition): list(item.replicas) for item in facts.partitions}
    for number in range(1, count + 1):
        moved = replicas_in(moves / f"{number:02}-move.json")
        assert replicas_in(moves / f"{number:02}-rollback.json") == {n: now[n] for n in moved}
        elected = moves / f"{number:02}-elect.json"
        led = {name for name, row in moved.items() if row[0] != now[name][0]}
        named = json.loads(elected.read_text())["partitions"] if elected.exists() else []
        assert {(item["topic"], item["partition"]) for item in named} == led
        now |= moved
    assert now == reassign_cluster(FleetFiles.read(str(before))).plan.replicas
    reassigned(run, before)  # files of an earlier plan are replaced, and others refused
    assert sorted(path.name for path in moves.glob("*-move.json")) == ["01-move.json"]
    (moves / "notes.txt").write_text("mine")
    output = run("reassign", before, "--out", moves)
    assert (output.code, "holds 1 file (notes.txt)" in output.err) == (2, True)


def test_what_is_asked_of_brokers_topics_and_bytes(run: Run, before: Path) -> None:
    drained = brokers_of(reassigned(run, before, "--drain", 3))
    assert (drained[3]["planned"], drained[3]["state"]) == (0, "drained")
    added = brokers_of(reassigned(run, before, "--add", 4))
    assert [added[b]["copied_in"] > 0 for b in (1, 2, 3, 4)] == [False, False, False, True]
    assert brokers_of(reassigned(run, before, "--brokers", "1,2,4"))[3]["planned"] == 0
    only = brokers_of(reassigned(run, before, "--topics", "orders", "--drain", 3))
    moved = replicas_in(move := before.parent / "moves" / "01-move.json")
    assert ({topic for topic, _ in moved}, only[3]["planned"]) == ({"orders"}, 8)
    leaders = reassigned(run, before, "--leaders-only", "--topics", "audit-log")
    assert {row["copied_in"] for row in leaders["brokers"]} == {0}
    elected = json.loads(move.with_name("01-elect.json").read_text())["partitions"]
    assert len(elected) == len(replicas_in(move))
    sized = reassigned(run, before, "--log-dirs", CAPTURES / "log_dirs.txt")
    assert sum(row["bytes"] for row in sized["brokers"]) > 10**8
    assert any("MB) and change" in sentence for sentence in sentences_of(sized))
    few = reassigned(run, before, "--at-most-copies", 3)
    assert few["plan"] == [{"cluster": "lab", "optimal": "optimal for these replica sets"}]
    assert sum(row["copied_in"] for row in few["brokers"]) == 3
    assert any(
        "With at most 3 copies the sum of squared replicas" in sentence
        and "no plan with so few copies has less" in sentence
        for sentence in sentences_of(few)
    )


def test_a_higher_factor_grows_one_replica_a_batch(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--topics", "clicks_*", "--replication-factor", 3)
    moves = sorted((before.parent / "moves").glob("*-move.json"))
    assert len(moves) == len(report["batches"]) > 1
    lengths: dict[tuple[str, int], list[int]] = {}
    for path in moves:
        for name, row in replicas_in(path).items():
            lengths.setdefault(name, []).append(len(row))
    assert all(s[0] == 2 and s[-1] == 3 and s == sorted(s) for s in lengths.values())


def test_a_table_for_people_fits_a_terminal(
    run: Run, before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OUT, "_force_terminal", True)
    monkeypatch.setattr(OUT, "_width", 80)
    output = run("reassign", before, "--out", before.parent / "moves")
    assert output.code == 0
    verdict, *notes = output.err.splitlines()
    assert verdict == (
        "Cluster lab: Copy 8 replicas and change 6 preferred leaders, in 1 batch. The plan is "
        "optimal. Afterwards brokers hold 8 to 10 replicas (now 0 to 12)."
    )
    assert notes[0].startswith("3 files in ")
    assert all(len(line) <= 80 for line in output.out.splitlines())
    assert "01-move.json" not in output.out


def test_a_plan_can_be_looked_at_and_nothing_is_written(run: Run, before: Path) -> None:
    kept = sorted(before.parent.iterdir())
    output = run("reassign", before)
    assert (output.code, "The plan is optimal." in output.err) == (0, True)
    assert sorted(before.parent.iterdir()) == kept
    output = run("reassign", before, "--execute", "--bootstrap", "127.0.0.1:9")
    assert (output.code, "with which moves are undone: --out FOLDER" in output.err) == (2, True)


def test_brokers_that_are_down_or_not_listed(run: Run, tmp_path: Path) -> None:
    """A dead one is left, and what it held alone stays; without a list leaders are known."""
    store = stored(run, tmp_path, "dead_topics", "dead_brokers")
    assert brokers_of(reassigned(run, store))[3]["state"] == "dead"
    files = [*(tmp_path / "moves").glob("*-move.json")]
    files += (tmp_path / "moves").glob("*-rollback.json")
    assert not any(3 in row for path in files for row in replicas_in(path).values())
    (tmp_path / "listed").mkdir()
    store = stored(run, tmp_path / "listed", "dead_topics")  # with the brokers of before
    sentence = "Broker 3 is in sync with none of its replicas: if it is down, drain it."
    assert sentence in sentences_of(reassigned(run, store))
    store = stored(run, tmp_path, "topics_before", None)
    reassignment = reassign_cluster(FleetFiles.read(str(store)))
    assert reassignment.current.racks == {1: None, 2: None, 3: None}
    output = run("reassign", stored(run, tmp_path, "topics_during"), "--out", tmp_path / "new")
    reason = "cluster lab still reassigns 2 partitions (orders-0, orders-3)"
    assert (output.code, reason in output.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--drain 9", "broker 9 is to be drained, and cluster lab doesn't have it"),
        ("--add x", "--add 'x' is not a list of broker ids"),
        ("--drain 3 --add 3", "broker 3 is to be drained, and to be used as well"),
        ("--topics none*", "no topic of cluster lab fits none*"),
        ("--replication-factor 0", "a replication factor of 0 isn't above 0"),
        ("--batch-copies 0", "limited to 0"),
        ("--cluster other", "has no cluster 'other': it has 1 cluster (lab)"),
        (f"--log-dirs {CAPTURES}/move.json", "has no size of a partition of cluster lab"),
        ("--at-most-copies 0 --drain 3", "copies are needed"),
        ("--at-most-copies -1", "must be 0 or more"),
        ("--at-most-copies 1 --spread-topics", "a limit of copies is for the levels"),
        ("--all --drain 3", "--all plans every cluster: leave out"),
        ("--execute", "needs either --bootstrap"),
        ("--no-dry-run", "need --execute or --undo"),
        ("--undo moves", "--undo needs either --bootstrap"),
        ("--undo moves --execute", "--execute and --undo contradict each other"),
        ("--leaders-only --add 4", "--leaders-only moves no replicas"),
        ("--leaders-only --replication-factor 2", "--leaders-only moves no replicas"),
        ("--leaders-only --at-most-copies 0", "--leaders-only moves no replicas"),
        ("--execute --bootstrap h:1 --throttle 0", "is too low"),
        ("--create new:3", "give NAME:PARTITIONS:REPLICAS"),
        ("--create new:0:3", "give NAME:PARTITIONS:REPLICAS"),
        ("--create 'a b:1:1'", "Kafka allows no topic 'a b'"),
        ("--create new:1:5", "5 replicas need as many brokers, and only 4 can be used"),
        ("--create new:1:1 --create new:2:1", "to be created twice"),
        ("--create new:1:1 --spread-topics", "--create moves no replica"),
        ("--create orders:1:1", "has topic orders already"),
        ("--create a.b:1:1 --create a_b:1:1", "Kafka refuses topic a_b beside a.b"),
        ("--create payments_v1:1:1", "Kafka refuses topic payments_v1 beside payments.v1"),
    ],
)
def test_what_cannot_be_asked_is_told(run: Run, before: Path, words: str, fault: str) -> None:
    output = run("reassign", before, "--out", before.parent / "moves", *shlex.split(words))
    check_refused(output, fault)


def test_the_same_of_a_snapshot_in_spark(before: Path, spark: SparkSession) -> None:
    request = ReassignRequest(drain=[3])
    files = reassign_cluster(FleetFiles.read(str(before)), "lab", request)
    frames = reassign_cluster(FleetSnapshot.read(spark, str(before)), "lab", request)
    assert frames.plan.replicas == files.plan.replicas
    assert compare(frames) == compare(files)


def test_a_wish_that_is_not_fulfilled_fails_and_says_why(run: Run, before: Path) -> None:
    """Three replicas take three brokers, and without 1 and 2 there are two; five take five."""
    words = ("reassign", before, "--out", before.parent / "moves")
    drain = (*words, "--drain", "1,2", "--topics", "payments.v1")
    output = run(*drain)
    assert output.code == 1
    for broker in (1, 2):
        assert (
            f"Broker {broker} isn't empty: 4 replicas stay, since 3 replicas need as many brokers, "
            "and only 2 can be used."
        ) in flat(output.err)
    assert "The plan is optimal for the partitions that can be planned." in output.err
    output = run(*drain, "--execute", "--bootstrap", "127.0.0.1:9")
    assert (output.code, "Nothing was executed" in output.err) == (1, True)
    output = run(*words, "--replication-factor", 5)
    reason = "another replication factor than 5, since 5 replicas need as many brokers"
    assert (output.code, reason in flat(output.err)) == (1, True)


@pytest.mark.parametrize(("replicas", "code"), [([1, 2], 0), ([1], 1)])
def test_a_broker_to_drain_of_leaders_is_done_when_it_leads_nothing(
    run: Run, tmp_path: Path, replicas: list[int], code: int
) -> None:
    fleet = Fleet().topic("orders", 1, "lab").topic("t", 1, "lab")
    for row, brokers in zip(fleet.rows["partitions"], (replicas, [1, 2]), strict=True):
        row |= {"leader": 1, "replicas": brokers, "isr": brokers}
    fleet.store(tmp_path / "store")
    words = ("reassign", tmp_path / "store", "--out", tmp_path / "moves", "--leaders-only")
    output = run(*words, "--drain", 1)
    reason = "Broker 1 still leads: 1 leader stays, since none of its replicas is on a broker"
    assert (output.code, reason in flat(output.err)) == (code, bool(code))
    assert replicas_in(tmp_path / "moves" / "01-move.json") == {
        (topic, 0): [2, 1] for topic in ("orders", "t")[code:]
    }


def test_a_factor_without_a_replica_to_spare_needs_force(run: Run, tmp_path: Path) -> None:
    fleet = Fleet().topic("orders", 4, "lab")
    for row in fleet.rows["partitions"]:
        row |= {"leader": 1, "replicas": [1, 2, 3], "isr": [1, 2, 3], "min_insync_replicas": 2}
    fleet.store(tmp_path / "store")
    words = ("reassign", tmp_path / "store", "--out", tmp_path / "moves", "--replication-factor")
    output = run(*words, 2)
    sentence = "1 topic (orders) would have 2 replicas, with min.insync.replicas 2"
    assert (output.code, sentence in output.err) == (2, True)
    assert run(*words, 3).code == 0
    output = run(*words, 2, "--force")
    assert output.code == 0
    assert "producers with acks=all are refused once a broker is down" in flat(output.out)


def test_leaders_after_a_restart_are_elected(run: Run, tmp_path: Path) -> None:
    """Nothing moves, and two partitions are led by their last replica."""
    fleet = Fleet().topic("t", 3, "lab")
    for row, replicas in zip(fleet.rows["partitions"], ([1, 2], [2, 3], [3, 1]), strict=True):
        leader = 2 if row["partition"] == 0 else 3
        row |= {"leader": leader, "replicas": replicas, "isr": replicas}
    fleet.store(tmp_path / "store")
    report = reassigned(run, tmp_path / "store")
    first, *others = sentences_of(report)
    assert "2 partitions are led by another broker" in first
    assert "No replica has to move." in others
    elected = json.loads((tmp_path / "moves" / "elect.json").read_text())["partitions"]
    assert [(item["topic"], item["partition"]) for item in elected] == [("t", 0), ("t", 1)]
    leads = [(row["leads_now"], row["leaders"]) for row in report["brokers"]]
    assert leads == [(0, 1), (1, 1), (2, 1)]
    now, *_, plan = [(row["leaders_min"], row["leaders_max"]) for row in report["compared"]]
    assert (now, plan) == ((0, 2), (1, 1))


PAGE = (ROOT / "docs" / "reassign.md").read_text()
EVERYWHERE = {"--format", "--help", "--quiet", "--verbose", "--wide", "--csv", "--table"}


def test_the_page_leads_from_a_skewed_cluster_to_its_files(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "groups.txt").write_text(GROUPS)
    shutil.copy(CAPTURES / "topics_before.txt", "topics.txt")
    shutil.copy(DATA / "brokers" / "brokers.txt", "brokers.txt")
    commands = re.findall(r"^bin/evenfleet (?!.*demo/store)(.+)$", PAGE, re.MULTILINE)
    codes = [run(*shlex.split(command)).code for command in commands]
    assert [command.split()[0] for command in commands] == [
        *("import-cli", "reassign", "reassign-verify")
    ]
    assert codes == [0, 0, 1]  # nothing has begun
    assert replicas_in(tmp_path / "moves" / "01-move.json")
    assert (tmp_path / "moves" / "01-elect.json").exists()


def test_the_page_has_every_option(run: Run) -> None:
    printed = run("reassign", "--help").out
    options = set(re.findall(r"--[a-z][a-z-]+", printed))
    common = {"--tables", "--cluster", "--out", "--snapshot", "--master", "--conf", "--config"}
    report = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    assert options - common - EVERYWHERE <= report
