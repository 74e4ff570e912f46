"""Stores, plans and runs that broke: what commands say of them, and what they do all the same."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark.audit.registry import FINDINGS
from spark.terminal.progress import follow
from tests.support.fleets import SNAPSHOT, damage_pages
from tests.support.said import Run, check_refused, flat, is_one_line
from tests.support.small import EARLIER, TWO_OWNERS, small, troubled
from tests.support.terminal import tables_of

FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH = (f"20261121T0{hour}0000Z" for hour in range(6))


def cut_short(part: Path) -> None:
    part.write_bytes(part.read_bytes()[:-9])


def flip_a_bit(part: Path) -> None:
    raw = bytearray(part.read_bytes())
    raw[len(raw) // 2] ^= 16
    part.write_bytes(bytes(raw))


def written_again(part: Path, table: pa.Table) -> None:
    """By another program, which knows nothing of sums."""
    part.with_name(f".{part.name}.crc").unlink(missing_ok=True)
    pq.write_table(table, part)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Six snapshots: the third is the newest of which nothing is wrong."""
    store = tmp_path / "store"
    for snapshot in (FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH):
        troubled(TWO_OWNERS).store(store, snapshot)
    cut_short(*store.glob(f"assignments/snapshot={SECOND}/*.parquet"))
    damage_pages(*store.glob(f"members/snapshot={FOURTH}/*.parquet"), statistics=True)
    shutil.rmtree(store / "partitions" / f"snapshot={FIFTH}")
    (store / "members" / f"snapshot={SIXTH}" / "_temporary" / "0").mkdir(parents=True)
    return store


class TestSnapshots:
    """Those that aren't whole or can't be read are skipped, as it says; others are as ever."""

    def test_an_audit(self, run: Run, broken: Path, tmp_path: Path) -> None:
        """Newer ones, and those between the snapshot and the one to compare it with."""
        out = tmp_path / "out"
        output = run(
            "audit", broken, "--out", out, "--fail-on", "critical", "--no-history", "--all"
        )
        assert output.code == 1
        lines = output.err.splitlines()
        skipped = f"Skipped: snapshot {SECOND} isn't whole: {broken}/assignments/snapshot={SECOND}"
        assert lines[0].startswith(skipped)
        assert lines[1:3] == [
            f"Skipped: snapshot {FIFTH} isn't whole: it lacks partitions",
            f"Skipped: snapshot {SIXTH} isn't whole: it is being written, or its writing was cut "
            "short",
        ]
        assert lines[3].startswith("Skipped: ") and f"/members/snapshot={FOURTH}" in lines[3]
        assert lines[4:] == [
            "1 critical finding and 1 warning in 1 group: the fleet is in trouble. Start with "
            "claimed-twice. Not evaluated: 1 empty. Only this snapshot was checked, not its "
            "history. 0 of 1 group is uneven.",
            f"Snapshot {THIRD} of 1 cluster.",
            "Advised: a look at 1 group.",
            "0 groups can follow a plan (0 do); 1 need a client.id for each process.",
            f"Written to {out}: findings, groups.",
            f"Next: evenfleet explain {broken} --cluster c --group g",
        ]
        printed = flat(output.out)
        claimed = (
            "critical: claimed-twice - c: Two members of group g both own 1 partition of topic t"
        )
        assert claimed in printed
        assert f"→ {FINDINGS['claimed-twice'].advice}" in printed
        assert printed.index("claimed-twice - c:") < printed.index("unread-partitions - c:")
        assert "lag-on-few-partitions, lag-on-one-member, offset-beyond-end: the snap" in printed
        assert "no earlier snapshot" not in printed

    def test_a_list_of_them(self, run: Run, broken: Path) -> None:
        cut_short(*broken.glob(f"members/snapshot={FOURTH}/*.parquet"))
        output = run("snapshots", broken, "--format", "json")
        listed = {row["snapshot"]: row for row in tables_of(output)["snapshots"]}
        assert all(row.pop("bytes") > 0 for row in listed.values())
        assert {name: row["state"] for name, row in listed.items()} == {
            **{FIRST: "whole", SECOND: "assignments can't be read", THIRD: "whole"},
            **{FOURTH: "members can't be read", FIFTH: "it lacks partitions"},
            SIXTH: "it is being written, or its writing was cut short",
        }
        counts = {"groups": 2, "members": 2, "subscriptions": 2, "partitions": 4, "assignments": 4}
        others = dict.fromkeys(("offsets", "brokers", "configs", "other_kinds"))
        whole = {"snapshot": FIRST, "state": "whole", "clusters": ["c"]} | counts | others
        assert listed[FIRST] == whole
        state = {name: listed[FIFTH][name] for name in ("snapshot", "state")}
        assert listed[FIFTH] == whole | state | {"partitions": None}
        skipped = ", ".join((SECOND, FOURTH, FIFTH, SIXTH))
        assert f"Skipped because they are incomplete: {skipped}.\n" in output.err

    def test_a_plan_of_all(self, run: Run, broken: Path, tmp_path: Path) -> None:
        """One isn't whole, of another a bit isn't as it was written."""
        for table in broken.glob("[!.]*"):
            shutil.rmtree(table / f"snapshot={FOURTH}")
        flip_a_bit(part := next(broken.glob(f"members/snapshot={FIRST}/*.parquet")))
        output = run("plan", broken, "--out", tmp_path / "p", "--snapshot", "all", "--all")
        assert output.code == 2
        assert f"Skipped: snapshot {FIFTH} isn't whole: it lacks partitions" in output.err
        assert "evenfleet: 1 of 2 snapshots are planned, the others can't be read: " in output.err
        assert f"{part} can't be read: its bytes aren't those that were written" in output.err
        assert "planned" in output.out
        folders = (tmp_path / "p").glob("*/snapshot=*")
        assert {path.name for path in folders} == {f"snapshot={THIRD}"}

    def test_one_that_is_half_written(self, run: Run, broken: Path, tmp_path: Path) -> None:
        """It is told once; where it is the only one, or named, there is none to take instead."""
        for table in broken.glob("[!.]*"):
            for snapshot in (SECOND, FOURTH, SIXTH):
                shutil.rmtree(table / f"snapshot={snapshot}")
        sentence = f"Skipped: snapshot {FIFTH} isn't whole: it lacks partitions"
        for words in (("compare", "--out", tmp_path / "c"), ("explain", "--group", "g")):
            output = run(words[0], broken, *words[1:])
            assert (output.code, output.err.count(sentence)) == (0, 1), output.err
        for table in broken.glob("[!.]*"):
            for snapshot in (FIRST, THIRD):
                shutil.rmtree(table / f"snapshot={snapshot}")
        for words in ((), ("--snapshot", FIFTH)):
            output = run("audit", broken, *words)
            check_refused(output, f"snapshot {FIFTH} of store {broken} isn't whole: it lacks")


def test_a_broken_table_is_bad_input(run: Run, store: Path, tmp_path: Path) -> None:
    (part,) = store.glob("members/*/*.parquet")
    table = pq.ParquetFile(part).read().drop_columns("member_id")
    for break_it, sentence in (
        (lambda: damage_pages(part, True), f"table members can't be read from {part}: "),
        (lambda: pq.write_table(table, part), "table members lacks the column member_id"),
        (lambda: cut_short(part), f"isn't whole: {part} can't be read: it has "),
        (lambda: shutil.rmtree(store / "members"), "isn't whole: it lacks members"),
    ):
        break_it()
        check_refused(run("plan", store, "--out", tmp_path / "plan"), sentence)
        assert not (tmp_path / "plan").exists()


def test_an_output_that_is_a_file_shows_when_it_is_written(
    run: Run, store: Path, tmp_path: Path
) -> None:
    out = tmp_path / "plan"
    out.mkdir()
    (out / "assignments").touch()
    output = run("plan", store, "--out", out)
    check_refused(output, f"{out}/assignments can't be written: Not a directory")
    assert not (out / "groups").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folders_without_permission(run: Run, asked: list[Any], tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    for option in ("--out", "--prometheus"):
        check_refused(run("audit", "s", option, tmp_path / "x"), "no permission for")
    assert asked == []


def check_a_store_that_lacks_a_snapshot(run: Run, store: Path, plan: Path) -> None:
    for table in store.glob("[!.]*"):
        shutil.rmtree(table / f"snapshot={EARLIER}")
    output = run("verify", store, plan)
    assert (output.code, output.out) == (2, "")
    assert f"No fault in 1 planned group, snapshot {SNAPSHOT}: " in output.err
    report = "1 of 2 snapshots of the plan are checked, the others can't be: "
    assert f"{report}{EARLIER}: store {store} has no snapshot {EARLIER}" in output.err
    for snapshot, report in ((EARLIER, "has no snap"), ("x", f"it has {EARLIER}, {SNAPSHOT}")):
        output = run("verify", store, plan, "--snapshot", snapshot)
        assert (output.code, is_one_line(output), report in output.err) == (2, True, True)


def test_what_was_done_to_files_of_a_plan_or_of_its_store(
    run: Run, store: Path, tmp_path: Path
) -> None:
    """Rows that another program wrote are read, as it says; a bit that fell over stops it.

    A snapshot that the store lacks doesn't keep the others from being checked.
    """
    small().store(store, EARLIER)
    plan = tmp_path / "plan"
    (part,) = store.glob(f"members/snapshot={SNAPSHOT}/*.parquet")
    table = pq.ParquetFile(part).read()
    pq.write_table(table.append_column("age", pa.array([1] * len(table))), part)
    (part,) = store.glob(f"groups/snapshot={SNAPSHOT}/*.parquet")
    pq.write_table(pq.ParquetFile(part).read().slice(0, 1), part)
    output = run("plan", store, "--out", plan, "--snapshot", "all")
    changed = "was changed by another program since it was written"
    assert (output.code, f"{part} {changed} (1 rows instead of 2)" in output.err) == (0, True)
    assert "table members: left out unknown columns age\n" in output.err

    assert {path.name for path in plan.glob("[!.]*")} == {"assignments", "groups"}

    (part,) = plan.glob(f"assignments/snapshot={EARLIER}/*.parquet")
    table = pq.ParquetFile(part).read()
    topics = table["topic"].combine_chunks().cast(pa.binary()).to_pylist()
    raw = pa.array([b"\xff", *topics[1:]], pa.binary())
    names = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    written_again(part, table.set_column(table.schema.get_field_index("topic"), "topic", names))
    output = run("verify", store, plan, "--format", "json")
    assert output.code == 1
    faults = tables_of(output)["faults"]
    assert {fault["snapshot"] for fault in faults} == {EARLIER}
    fault = r"\xff-0 is in the plan and not in the snapshot (1 such)"
    assert fault in {row["fault"] for row in faults}
    assert "table members: left out unknown columns age\n" in output.err
    assert re.search(rf"\d+ faults? in 1 planned group, snapshot {EARLIER}\.\n", output.err)
    assert f"No fault in 1 planned group, snapshot {SNAPSHOT}: " in output.err

    check_a_store_that_lacks_a_snapshot(run, shutil.copytree(store, tmp_path / "lacking"), plan)

    (part,) = plan.glob(f"groups/snapshot={SNAPSHOT}/*.parquet")
    written_again(part, pq.ParquetFile(part).read().slice(0, 0))
    output = run("verify", store, plan, "--snapshot", SNAPSHOT)
    assert (output.code, f"{part} {changed} (0 rows instead of 1)" in output.err) == (1, True)
    flip_a_bit(part := next(plan.glob(f"assignments/snapshot={SNAPSHOT}/*.parquet")))
    output = run("verify", store, plan, "--snapshot", SNAPSHOT)
    check_refused(output, f"{part} can't be read: its bytes aren't those that were written")
    shutil.rmtree(plan / "groups")
    output = run("verify", store, plan)
    check_refused(output, f"has no table groups of snapshot {EARLIER}: name a folder that plan")


def test_snapshots_of_odd_ids_are_in_nobodys_way(run: Run, store: Path, tmp_path: Path) -> None:
    odd = ["2026:11", "a b", "[x]", "{x"]
    for snapshot in odd:
        for table in store.glob("[!.]*"):
            shutil.copytree(table / f"snapshot={SNAPSHOT}", table / f"snapshot={snapshot}")
    output = run("explain", store, "--group", "g")
    assert (output.code, f"Snapshot {SNAPSHOT} of " in output.err) == (0, True), output.err
    listed = flat(run("snapshots", store).out)
    assert [snapshot for snapshot in (*odd, SNAPSHOT) if snapshot not in listed] == []
    for snapshot in odd:
        output = run("plan", store, "--out", tmp_path / "odd", "--snapshot", snapshot)
        assert (output.code, "its id isn't a time like" in output.err) == (2, True)
    assert not (tmp_path / "odd").exists()


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (RuntimeError("no luck\nat all"), 3, "RuntimeError: "),
        (ValueError("odd"), 3, "ValueError: "),
        (KeyError(), 3, "KeyError: "),
        (OSError(), 3, "OSError: "),
        (KeyboardInterrupt(), 130, "interrupted by Ctrl-C before it was done: run it again\n"),
    ],
)
def test_what_is_nobodys_input(
    run: Run,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    sentence: str,
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr("spark.jobs.plan.check_out", fail)
    output = run("plan", store, "--out", "o")
    assert (output.code, is_one_line(output)) == (code, True)
    assert output.err.startswith(f"evenfleet: {sentence}")


def test_a_failed_task_is_code_3_in_one_line(
    run: Run, spark: SparkSession, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its jobs have a label in Spark's UI."""
    labels: list[str | None] = []

    def break_plan(rows: DataFrame, _: object) -> DataFrame:
        labels.append(spark.sparkContext.getLocalProperty("spark.job.description"))
        return rows.selectExpr("assert_true(1 = 2, 'no luck')")

    monkeypatch.setattr("spark.plan.fleet_plan.plan_groups", break_plan)
    with follow(spark):
        output = run("plan", store, "--out", tmp_path / "plan")
    assert (output.code, is_one_line(output)) == (3, True)
    assert "no luck" in output.err
    assert labels == [f"evenfleet: planning snapshot {SNAPSHOT}"]
