"""`evenfleet reassign` on what Kafka's own tools printed of a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark import FleetFiles
from spark.reassign import ReassignRequest, cluster_facts, compared, reassign_cluster
from spark.terminal.console import OUT
from tests.spark.reassign.captures import CAPTURES, GROUPS, reassigned, replicas_in, stored
from tests.support.said import Run, is_one_line


def test_an_empty_broker_gets_its_share(run: Run, asked: list, before: Path) -> None:
    report = reassigned(run, before, "--batch-copies", 4)
    assert asked == []  # no session is needed
    brokers = {row["broker"]: row for row in report["brokers"]}
    assert [brokers[b]["replicas"] for b in (1, 2, 3, 4)] == [12, 12, 12, 0]
    assert [brokers[b]["planned"] for b in (1, 2, 3, 4)] == [8, 10, 10, 8]
    assert {row["planned_leaders"] for row in report["brokers"]} == {4}
    ways = {row["placement"]: row for row in report["compared"]}
    assert ways["optimal"]["copies"] == 8
    assert ways["now"]["copies"] == 0
    assert all(row["copies"] <= 4 for row in report["batches"])
    assert report["plan"][0]["optimal"] == "optimal"


def test_files_of_a_batch_begin_where_the_one_before_ended(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--batch-copies", 2, "--per-broker", 1)
    moves = before.parent / "moves"
    count = len(report["batches"])
    assert count == 8  # broker 4 receives all eight, one a batch
    current = cluster_facts(FleetFiles.read(str(before)))
    now = {
        (partition.topic, partition.partition): list(partition.replicas)
        for partition in current.partitions
    }
    for number in range(1, count + 1):
        moved = replicas_in(moves / f"{number:02}-move.json")
        assert replicas_in(moves / f"{number:02}-rollback.json") == {n: now[n] for n in moved}
        elected = moves / f"{number:02}-elect.json"
        led = {name for name, row in moved.items() if row[0] != now[name][0]}
        named = json.loads(elected.read_text())["partitions"] if elected.exists() else []
        assert {(item["topic"], item["partition"]) for item in named} == led
        now |= moved
    plan = reassign_cluster(FleetFiles.read(str(before))).plan
    assert now == plan.replicas


def test_files_of_an_earlier_plan_are_replaced_and_others_refused(run: Run, before: Path) -> None:
    reassigned(run, before, "--batch-copies", 1)
    reassigned(run, before)
    moves = before.parent / "moves"
    assert sorted(path.name for path in moves.glob("*-move.json")) == ["01-move.json"]
    (moves / "notes.txt").write_text("mine")
    output = run("reassign", before, "--out", moves)
    assert output.code == 2
    assert "holds 1 file (notes.txt)" in output.err


def test_brokers_are_drained_added_and_chosen(run: Run, before: Path) -> None:
    drained = {row["broker"]: row for row in reassigned(run, before, "--drain", 3)["brokers"]}
    assert (drained[3]["planned"], drained[3]["state"]) == (0, "drained")
    added = {row["broker"]: row for row in reassigned(run, before, "--add", 4)["brokers"]}
    assert [added[b]["copied_in"] > 0 for b in (1, 2, 3, 4)] == [False, False, False, True]
    used = reassigned(run, before, "--brokers", "1,2,4")["brokers"]
    assert [row["planned"] for row in used if row["broker"] == 3] == [0]
    only = reassigned(run, before, "--topics", "orders", "--drain", 3)
    moved = replicas_in(before.parent / "moves" / "01-move.json")
    assert {topic for topic, _ in moved} == {"orders"}
    assert {row["broker"]: row for row in only["brokers"]}[3]["planned"] == 8


def test_a_higher_factor_grows_one_replica_a_batch(run: Run, before: Path) -> None:
    words = ("--topics", "clicks_*", "--replication-factor", 3)
    report = reassigned(run, before, *words)
    moves = sorted((before.parent / "moves").glob("*-move.json"))
    assert len(moves) == len(report["batches"]) > 1
    lengths: dict[tuple[str, int], list[int]] = {}
    for path in moves:
        for name, row in replicas_in(path).items():
            lengths.setdefault(name, []).append(len(row))
    assert all(
        length[-1] == 3 and length == sorted(length) and length[0] == 2
        for length in lengths.values()
    )


def test_leaders_alone_are_made_even(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--leaders-only", "--topics", "audit-log")
    assert {row["copied_in"] for row in report["brokers"]} == {0}
    moves = before.parent / "moves"
    led = [row[0] for row in replicas_in(moves / "01-move.json").values()]
    assert len(json.loads((moves / "01-elect.json").read_text())["partitions"]) == len(led)


def test_bytes_are_those_of_the_log_directories(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--log-dirs", CAPTURES / "log_dirs.txt")
    assert sum(row["bytes"] for row in report["brokers"]) > 10**8
    assert any("bytes" in sentence for sentence in report["sentences"])


def test_a_table_for_people_fits_a_terminal(
    run: Run, before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OUT, "_force_terminal", True)
    monkeypatch.setattr(OUT, "_width", 80)
    output = run("reassign", before, "--out", before.parent / "moves")
    assert output.code == 0
    assert all(len(line) <= 80 for line in output.out.splitlines())
    assert "The plan is optimal." in output.out
    assert "01-move.json" not in output.out


def test_a_broker_that_is_down_is_left_and_what_it_held_alone_stays(
    run: Run, tmp_path: Path
) -> None:
    store = stored(run, tmp_path, "dead_topics", "dead_brokers")
    report = reassigned(run, store)
    states = {row["broker"]: row["state"] for row in report["brokers"]}
    assert states[3] == "dead"
    for path in (tmp_path / "moves").glob("*-move.json"):
        assert not any(3 in row for row in replicas_in(path).values())
    assert not any(
        3 in row
        for path in (tmp_path / "moves").glob("*-rollback.json")
        for row in replicas_in(path).values()
    )


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--drain", "9"), "broker 9 is to be drained, and cluster lab doesn't have it"),
        (("--add", "x"), "--add 'x' is not a list of broker ids"),
        (("--drain", "3", "--add", "3"), "broker 3 is to be drained, and to be used as well"),
        (("--topics", "none*"), "no topic of cluster lab fits none*"),
        (("--replication-factor", "0"), "a replication factor of 0 isn't above 0"),
        (("--batch-copies", "0"), "limited to 0"),
        (("--cluster", "other"), "has no cluster 'other': it has 1 cluster (lab)"),
        (("--log-dirs", CAPTURES / "move.json"), "has no size of a partition of cluster lab"),
    ],
)
def test_what_cannot_be_asked_is_told(
    run: Run, before: Path, words: tuple[object, ...], fault: str
) -> None:
    output = run("reassign", before, "--out", before.parent / "moves", *words)
    assert output.code == 2
    assert is_one_line(output)
    assert fault in output.err


def test_a_listed_broker_that_is_in_sync_with_nothing_is_told(run: Run, tmp_path: Path) -> None:
    store = stored(run, tmp_path, "dead_topics")  # with the brokers of before
    sentences = reassigned(run, store)["sentences"]
    assert "Broker 3 is in sync with none of its replicas: if it is down, drain it." in sentences


def test_a_cluster_that_is_reassigning_is_refused(run: Run, tmp_path: Path) -> None:
    store = stored(run, tmp_path, "topics_during")
    output = run("reassign", store, "--out", tmp_path / "moves")
    assert output.code == 2
    assert "2 partitions (orders-0, orders-3) of cluster lab are being reassigned" in output.err


def test_a_store_without_brokers_knows_those_that_lead(run: Run, tmp_path: Path) -> None:
    store = stored(run, tmp_path, "topics_before", None)
    reassignment = reassign_cluster(FleetFiles.read(str(store)))
    assert reassignment.current.racks == {1: None, 2: None, 3: None}


def test_the_same_of_a_snapshot_in_spark(run: Run, before: Path, spark: Any) -> None:
    from spark import FleetSnapshot  # noqa: PLC0415

    files = reassign_cluster(FleetFiles.read(str(before)), "lab", ReassignRequest(drain=[3]))
    frames = reassign_cluster(
        FleetSnapshot.read(spark, str(before)), "lab", ReassignRequest(drain=[3])
    )
    assert frames.plan.replicas == files.plan.replicas
    assert compared(frames) == compared(files)


def test_all_clusters_are_planned_and_a_bad_one_stops_none(
    run: Run, asked: list, tmp_path: Path
) -> None:
    store = stored(run, tmp_path, "topics_before", cluster="lab")
    for cluster, topics in (("../moving", "topics_during"), ("after", "topics_after")):
        groups = tmp_path / "groups.txt"
        output = run(
            *("import-cli", "--cluster", cluster, "--groups", groups, "--out", store),
            *("--topics", CAPTURES / f"{topics}.txt", "--brokers", CAPTURES / "brokers.txt"),
            *("--snapshot", FleetFiles.read(str(store)).id),
        )
        assert output.code == 0, output.err
    out = tmp_path / "all"
    output = run("reassign", store, "--all", "--out", out, "--batch-copies", 4, "--format", "json")
    assert output.code == 1  # one is refused
    rows = {row["cluster"]: row for row in json.loads(output.out)["clusters"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "lab": "planned",
        "after": "planned",
        "../moving": "refused",
    }
    assert "are being reassigned" in rows["../moving"]["reason"]
    item = reassigned(run, store, "--cluster", "lab", "--batch-copies", 4)
    assert rows["lab"]["copies"] == 8
    assert (rows["lab"]["planned_min"], rows["lab"]["planned_max"]) == (8, 10)
    assert rows["lab"]["sentences"] == item["sentences"]
    for path in (tmp_path / "moves").iterdir():
        assert (out / "lab" / path.name).read_text() == path.read_text()
    assert not (tmp_path / "moving").exists()
    table = run("reassign", store, "--all", "--out", out)
    assert "not planned" in table.out
    refused = run("reassign", store, "--all", "--out", out, "--drain", 3)
    assert refused.code == 2
    assert "--all plans every cluster: leave out" in refused.err


def test_few_copies_leave_what_they_can_and_say_what_is_proven(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--at-most-copies", 3)
    assert report["plan"] == [{"cluster": "lab", "optimal": "optimal for these replica sets"}]
    assert sum(row["copied_in"] for row in report["brokers"]) == 3
    assert any(
        "With at most 3 copies the sum of squared replicas" in sentence
        and "no plan with so few copies has less" in sentence
        for sentence in report["sentences"]
    )
    moves = before.parent / "moves"
    for words, why in (
        (("--at-most-copies", 0, "--drain", 3), "copies are needed"),
        (("--at-most-copies", -1), "must be 0 or more"),
        (("--at-most-copies", 1, "--spread-topics"), "a limit of copies is for the levels"),
    ):
        output = run("reassign", before, "--out", moves, *words)
        assert output.code == 2, words
        assert why in output.err


def test_a_drain_that_leaves_replicas_fails_and_says_why(run: Run, before: Path) -> None:
    """Three replicas take three brokers, and without 1 and 2 there are two."""
    words = ("--out", before.parent / "moves", "--drain", "1,2", "--topics", "payments.v1")
    output = run("reassign", before, *words)
    assert output.code == 1
    for broker in (1, 2):
        assert (
            f"Broker {broker} isn't empty: 4 replicas stay, since 3 replicas need as many brokers, "
            "and only 2 can be used."
        ) in " ".join(output.out.split())
    assert "The plan is optimal for the partitions that can be planned." in output.out
    output = run("reassign", before, *words, "--execute", "--bootstrap", "127.0.0.1:9")
    assert output.code == 1
    assert "Nothing was executed" in output.err


def test_a_factor_that_is_not_reached_fails_and_says_why(run: Run, before: Path) -> None:
    output = run("reassign", before, "--out", before.parent / "moves", "--replication-factor", 5)
    assert output.code == 1
    assert "another replication factor than 5, since 5 replicas need as many brokers" in " ".join(
        output.out.split()
    )


def test_a_factor_without_a_replica_to_spare_needs_force(run: Run, tmp_path: Path) -> None:
    text = (CAPTURES / "topics_before.txt").read_text()
    safe = tmp_path / "topics_before.txt"
    safe.write_text(text.replace("min.insync.replicas=1", "min.insync.replicas=2"))
    (tmp_path / "groups.txt").write_text(GROUPS)
    words = ("--topics", safe, "--groups", tmp_path / "groups.txt")
    words += ("--brokers", CAPTURES / "brokers.txt", "--out", tmp_path / "store")
    assert run("import-cli", "--cluster", "lab", *words).code == 0
    asked = ("reassign", tmp_path / "store", "--out", tmp_path / "moves", "--topics", "orders")
    output = run(*asked, "--replication-factor", 2)
    assert output.code == 2
    assert "1 topic (orders) would have 2 replicas, with min.insync.replicas 2" in output.err
    assert run(*asked, "--replication-factor", 3).code == 0
    output = run(*asked, "--replication-factor", 2, "--force")
    assert output.code == 0
    assert "producers with acks=all are refused once a broker is down" in " ".join(
        output.out.split()
    )


def test_leaders_after_a_restart_are_elected(run: Run, tmp_path: Path) -> None:
    """Nothing moves, and each partition is led by its last replica."""
    store = stored(run, tmp_path, "topics_before")
    moves = tmp_path / "moves"
    assert run("reassign", store, "--out", moves).code == 0
    even = {
        name: row
        for path in sorted(moves.glob("*-move.json"))
        for name, row in replicas_in(path).items()
    }
    current = cluster_facts(FleetFiles.read(str(store)))
    lines = []
    for partition in current.partitions:
        row = even.get((partition.topic, partition.partition), partition.replicas)
        ids = ",".join(map(str, row))
        if partition.partition == 0:
            lines.append(
                f"Topic: {partition.topic}\tPartitionCount: 99\t"
                f"ReplicationFactor: {len(row)}\tConfigs: "
            )
        lines.append(
            f"\tTopic: {partition.topic}\tPartition: {partition.partition}\tLeader: {row[-1]}\t"
            f"Replicas: {ids}\tIsr: {ids}"
        )
    (tmp_path / "later.txt").write_text("\n".join(lines) + "\n")
    words = ("--topics", tmp_path / "later.txt", "--groups", tmp_path / "groups.txt")
    words += ("--brokers", CAPTURES / "brokers.txt", "--out", tmp_path / "later")
    assert run("import-cli", "--cluster", "lab", *words).code == 0
    report = reassigned(run, tmp_path / "later")
    away = [(item.topic, item.partition) for item in current.partitions if len(item.replicas) > 1]
    assert f"{len(away)} partitions are led by another broker" in report["sentences"][0]
    assert "No replica has to move." in report["sentences"]
    elected = json.loads((tmp_path / "moves" / "elect.json").read_text())["partitions"]
    assert [(item["topic"], item["partition"]) for item in elected] == sorted(away)
    assert {row["broker"]: row["leads_now"] for row in report["brokers"]} != {
        row["broker"]: row["leaders"] for row in report["brokers"]
    }
