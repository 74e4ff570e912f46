"""Folders and ids of any name: a path is a path, and an id is checked when it is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError
from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, flat, is_one_line
from tests.support.small import small

EARLIER = "20261121T050000Z"


@pytest.mark.parametrize("name", ["{a,[b]}*?", "a ä%20\\b"])
def test_folders_of_any_name(run: Run, tmp_path: Path, name: str) -> None:
    here = tmp_path / name
    write_store(small().tables(), here / "store", SNAPSHOT)
    write_store(small().tables(), tmp_path / "a" / "store", EARLIER)  # what a pattern would find
    out = here / "plan"
    output = run("plan", here / "store", "--out", out)
    assert output.code == 0, output.err
    output = run("verify", here / "store", out)
    assert (output.code, f"Snapshot {SNAPSHOT}, 1 planned groups: no fault" in output.err) == (
        0,
        True,
    )
    assert run("audit", here / "store", "--out", here / "audit").code == 0
    assert SNAPSHOT in run("snapshots", here / "store").out


@pytest.mark.parametrize("snapshot", ["*", "{x"])
def test_an_id_is_no_pattern(run: Run, store: Path, tmp_path: Path, snapshot: str) -> None:
    for command in ("plan", "compare"):
        output = run(command, store, "--out", tmp_path / "out", "--snapshot", snapshot)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"has no snapshot {snapshot}: the newest it has are {SNAPSHOT}" in output.err
    output = run("audit", store, "--snapshot", snapshot)
    assert (output.code, is_one_line(output)) == (2, True)


def copied(store: Path, snapshot: str) -> None:
    for table in store.glob("[!.]*"):
        shutil.copytree(table / f"snapshot={SNAPSHOT}", table / f"snapshot={snapshot}")


def test_snapshots_of_odd_ids_are_in_nobodys_way(run: Run, store: Path, tmp_path: Path) -> None:
    odd = ["2026:11", "a b", "[x]", "{x"]
    for snapshot in odd:
        copied(store, snapshot)
    for command in ("plan", "compare", "audit"):
        output = run(command, store, "--out", tmp_path / command, "--snapshot", SNAPSHOT)
        assert output.code == 0, output.err
    listed = flat(run("snapshots", store).out)
    for snapshot in (*odd, SNAPSHOT):
        assert snapshot in listed
    for snapshot in odd:
        output = run("plan", store, "--out", tmp_path / "odd", "--snapshot", snapshot)
        assert (output.code, "its id isn't a time like" in output.err) == (2, True)
    assert not (tmp_path / "odd").exists()


def test_an_odd_id_is_not_written(spark: SparkSession, store: Path, tmp_path: Path) -> None:
    for snapshot in ("2026:11", "*", "", "a/b", ".."):
        with pytest.raises(InputError, match="can't be the id of a snapshot"):
            FleetSnapshot("x", FleetSnapshot.read(spark, str(store)).tables).of(
                **FleetSnapshot.read(spark, str(store)).tables, snapshot=snapshot
            )
        with pytest.raises(InputError, match="can't be the id of a snapshot"):
            FleetSnapshot(snapshot, FleetSnapshot.read(spark, str(store)).tables).write(
                str(tmp_path / "s")
            )
        with pytest.raises(InputError, match="can't be the id of a snapshot"):
            write_store(small().tables(), tmp_path / "s", snapshot)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("inside", ["members", f"members/snapshot={SNAPSHOT}", "offsets/x/y"])
def test_results_do_not_go_into_a_stores_tables(run: Run, store: Path, inside: str) -> None:
    before = sorted(store.rglob("*"))
    table = inside.partition("/")[0]
    for command in ("plan", "compare", "audit"):
        output = run(command, store, "--out", store / inside)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"is inside table {table} of the store {store}: choose a folder" in output.err
    assert sorted(store.rglob("*")) == before


def test_a_newer_snapshot_that_is_half_written_is_told(
    run: Run, store: Path, tmp_path: Path
) -> None:
    newer = "20261121T070000Z"
    copied(store, newer)
    shutil.rmtree(store / "members" / f"snapshot={newer}")
    sentence = f"Skipped: snapshot {newer} isn't whole: it lacks members"
    for words in (
        ("plan", store, "--out", tmp_path / "plan"),
        ("compare", store, "--out", tmp_path / "compare"),
        ("explain", store, "--group", "g"),
        ("audit", store),
    ):
        output = run(*words)
        assert (output.code, output.err.count(sentence)) == (0, 1), output.err


def test_what_another_program_changed_is_told(run: Run, store: Path, tmp_path: Path) -> None:
    changed = "was changed by another program since it was written"
    (part,) = store.glob("groups/*/*.parquet")
    pq.write_table(pq.ParquetFile(part).read().slice(0, 1), part)
    output = run("plan", store, "--out", tmp_path / "plan")
    assert (output.code, f"{part} {changed} (1 rows instead of 2)" in output.err) == (0, True)
    (part,) = (tmp_path / "plan").glob("groups/*/*.parquet")
    part.with_name(f".{part.name}.crc").unlink()
    pq.write_table(pq.ParquetFile(part).read().slice(0, 0), part)
    output = run("verify", store, tmp_path / "plan")
    assert (output.code, f"{part} {changed} (0 rows instead of 1)" in output.err) == (1, True)


def test_a_flipped_bit_in_a_plan_or_a_store_is_told(run: Run, store: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan"
    assert run("plan", store, "--out", out).code == 0
    for part, words in (
        (next(out.glob("assignments/*/*.parquet")), ("verify", store, out)),
        (next(store.glob("members/*/*.parquet")), ("plan", store, "--out", tmp_path / "again")),
    ):
        raw = bytearray(part.read_bytes())
        raw[len(raw) // 2] ^= 16
        part.write_bytes(bytes(raw))
        output = run(*words)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"{part} can't be read: its bytes aren't those that were written" in output.err
