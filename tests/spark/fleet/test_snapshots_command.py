"""`evenfleet snapshots` on a store of many, and what it makes of old and scattered ones."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from optimizer.figures import data_size
from spark.errors import InputError
from spark.fleet import (
    MAX_AGE,
    Composition,
    compositions,
    snapshots,
    stored_in,
    whole,
)
from spark.store import CatalogSchema, Folder, files_of
from tests.spark.fleet.test_clusters import fleet_of, keep, keep_under
from tests.support.catalog import put, schema
from tests.support.said import Run, check_refused, flat
from tests.support.terminal import tables_of

HOURS = [f"202611{day:02}T{hour:02}0000Z" for day in (10, 11) for hour in range(24)]
NEWEST = HOURS[-1]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days, by the hour, of one cluster, and at the end a second one."""
    store = tmp_path_factory.mktemp("hours")
    for hour in HOURS:
        keep(store, hour, "a")
    keep(store, NEWEST, "b")
    return store


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """One snapshot each of five days, the last of them of two clusters, added one by one."""
    for day in range(1, 6):
        keep(tmp_path, f"202611{day:02}T060000Z", "a")
    keep(tmp_path, "20261105T060000Z", "b")
    return tmp_path


def listed(run: Run, store: Path) -> list[dict[str, Any]]:
    """What programs read of each snapshot, but for its size."""
    rows = tables_of(run("snapshots", store, "--format", "json"))["snapshots"]
    return [{name: row[name] for name in row if name != "bytes"} for row in rows]


class TestList:
    """The newest for people, all for programs."""

    def test_people_see_the_newest_and_programs_all(self, run: Run, kept: Path) -> None:
        output = run("snapshots", kept)
        shown = [hour for hour in HOURS if hour in output.out]
        assert shown == HOURS[-8:]
        assert output.out.index(NEWEST) < output.out.index(HOURS[-2])
        answer = f"48 snapshots since {HOURS[0]}. The newest is "
        assert output.err.startswith(answer)
        assert " old and has 2 groups of 2 clusters.\n" in output.err
        assert output.err.endswith(
            f"Not listed: 40 other snapshots, from {HOURS[0]} to {HOURS[39]} (--all lists all).\n"
            f"Next: evenfleet audit {kept}\n"
        )
        for words in (("--csv",), ("--format", "json"), ("--all",)):
            listed = run("snapshots", kept, *words).out
            assert [hour for hour in HOURS if hour not in listed] == []
        clusters = flat(listed).partition(" clusters - ")[2]
        assert clusters == f"{HOURS[0]} to {HOURS[46]}: a - {NEWEST}: a, b"

    def test_since(self, run: Run, kept: Path) -> None:
        for since in ("5h", HOURS[-6]):
            output = run("snapshots", kept, "--since", since)
            assert [hour for hour in HOURS if hour in output.out] == HOURS[-6:]
        output = run("snapshots", kept, "--since", HOURS[1])
        report = f"Not listed: 1 other snapshot, {HOURS[0]} (--all lists all).\n"
        assert output.err.endswith(f"{report}Next: evenfleet audit {kept}\n")
        output = run("snapshots", kept, "--since", "0h", "--format", "json")
        (row,) = tables_of(output)["snapshots"]
        assert (row["snapshot"], row["clusters"]) == (NEWEST, ["a", "b"])
        parts = kept.glob(f"*/snapshot={NEWEST}/*.parquet")
        assert row["bytes"] == sum(part.stat().st_size for part in parts)

    def test_manifests_tell_all_of_it_and_files_without_one_the_same(
        self, run: Run, days: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = listed(run, days)
        with monkeypatch.context() as patched:
            patched.setattr(Folder, "open", None)
            assert listed(run, days) == before
        for manifest in days.glob(".evenfleet/manifests/*/*"):
            manifest.unlink()
        assert listed(run, days) == before

    def test_one_that_is_not_whole_is_named_though_not_listed(self, run: Run, days: Path) -> None:
        for hour in HOURS[:24]:
            keep(days, hour, "a")
        for part in days.glob("members/snapshot=20261101T060000Z/*"):
            part.unlink()
        output = run("snapshots", days)
        assert "Skipped because they are incomplete: 20261101T060000Z.\n" in output.err


def test_only_the_newest_are_looked_at_for_a_fleet(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many a store has."""
    store = tmp_path / "store"
    shutil.copytree(kept, store)
    looked: set[str] = set()
    manifest = Folder.manifest

    def looking(place: Folder, snapshot: str) -> object:
        looked.add(snapshot)
        return manifest(place, snapshot)

    for at in range(24):
        keep(store, f"20261001T{at:02}0000Z", "a")
    monkeypatch.setattr(Folder, "manifest", looking)
    place = Folder(store)
    stored = whole(place, str(store))
    assert looked == {NEWEST}
    newest, older = compositions(
        place, str(store), whole(place, str(store), NEWEST), MAX_AGE, NEWEST
    )
    assert newest.id == NEWEST
    assert looked == {NEWEST}  # nobody has asked for the one before
    assert older() == Composition(HOURS[-2])
    assert looked == {*HOURS[-2:]}
    newest, older = compositions(place, str(store), stored, MAX_AGE)
    assert newest.instants == {"a": NEWEST, "b": NEWEST}
    before = older()
    assert before and before.id == HOURS[-2]
    assert min(looked) == "20261001T230000Z"  # 24 are beyond those within reach
    assert len(snapshots(place, str(store))) == 72
    assert stored_in(place, str(store)).why_not("nowhere") == "it was removed"


class TestPrune:
    """`--prune`."""

    def test_without_more_it_only_says_what_it_would_do(self, run: Run, days: Path) -> None:
        before = sorted(days.rglob("*"))
        output = run("snapshots", days, "--prune", "2d", "--format", "json")
        (first, second), left = (tables_of(output)[name] for name in ("prune", "left"))
        parts = [*days.glob("*/snapshot=20261101T060000Z/*")]
        assert first == {
            "snapshot": "20261101T060000Z",
            "clusters": ["a"],
            "rows": 6,
            "files": len(parts),
            "bytes": sum(part.stat().st_size for part in parts),
            "removed": False,
            "foreign": [],
        }
        assert (second["snapshot"], left) == ("20261102T060000Z", [])
        size = data_size(first["bytes"] + second["bytes"])
        assert output.err == (
            f"To be removed: 2 snapshots older than 2d (before 20261103T060000Z), {size}.\n"
            "Nothing was changed: add --apply to do it.\n"
        )
        assert sorted(days.rglob("*")) == before
        output = run("snapshots", days, "--prune", "2d")
        assert "20261101T060000Z" in output.out
        assert "20261103T060000Z" not in output.out
        assert output.err.endswith("Nothing was changed: add --apply to do it.\n")
        output = run("snapshots", days, "--prune", "900d")
        assert (output.out, "--apply" in output.err) == ("", False)
        assert output.err.startswith("To be removed: 0 snapshots older than 900d")

    def test_it_does_it(self, run: Run, days: Path) -> None:
        keep(days, "20261101T000000Z", "a")
        keep(days, "20261101T030000Z", "c")
        words = ("--prune", "2d", "--keep-daily", 1, "--apply", "--format", "json")
        output = run("snapshots", days, *words)
        (pruned,) = tables_of(output)["prune"]
        assert (pruned["snapshot"], pruned["removed"]) == ("20261101T000000Z", True)
        size = data_size(pruned["bytes"])
        assert output.err == (
            f"Removed: 1 snapshot older than 2d (before 20261103T060000Z), {size}.\n"
            "Kept of that age: 3 snapshots, each the newest of a cluster or of its day.\n"
        )
        assert "20261101T000000Z" not in snapshots(Folder(days), "")
        assert run("snapshots", days, *words).err.startswith("Removed: 0 snapshots")

    def test_files_of_other_programs_and_what_is_left_alone_are_named(
        self, run: Run, days: Path
    ) -> None:
        """Those that stay are compacted in the same run."""
        folder = days / "members/snapshot=20261102T060000Z"
        for name in ("notes.txt", "_SUCCESS", ".notes.crc"):
            (folder / name).touch()
        keep_under(days, "1-night", "a")
        for part in days.glob("members/snapshot=20261101T060000Z/*"):
            part.unlink()
        words = ("snapshots", days, "--prune", "2d", "--compact", "--format", "json")
        for more, would in (((), "To be removed"), (("--no-dry-run",), "Removed")):
            output = run(*words, *more)
            path = "members/snapshot=20261102T060000Z/notes.txt"
            assert f"{would} with them: 1 file of other programs: {path}.\n" in output.err
            assert tables_of(output)["left"] == [
                {"snapshot": "1-night", "why": "its id isn't a time like 20261121T060000Z"},
                {"snapshot": "20261101T060000Z", "why": "it lacks members"},
            ]
            (compacted,) = tables_of(output)["compact"]
            assert compacted["snapshot"] == "20261105T060000Z"
            for left in ("alone", "as it is"):
                assert f"Left {left}: snapshot 20261101T060000Z: it lacks members.\n" in output.err

    def test_of_tables_of_a_catalog(self, run: Run, lake: str, spark: SparkSession) -> None:
        for day in range(1, 5):
            put(spark, lake, fleet_of("a").tables("groups"), f"202611{day:02}T060000Z")
        words = ("--tables", lake, "--prune", "2d", "--format", "json")
        output = run("snapshots", *words)
        (row,) = tables_of(output)["prune"]
        assert (row["snapshot"], row["rows"], row["bytes"]) == ("20261101T060000Z", 5, None)
        assert "To be removed: 1 snapshot older than 2d" in output.err
        output = run("snapshots", *words, "--no-dry-run")
        assert "Removed: 1 snapshot older than 2d (before 20261102T060000Z).\n" in output.err
        there = snapshots(spark, CatalogSchema(lake))
        assert there == [f"2026110{day}T060000Z" for day in (2, 3, 4)]
        assert "1 snapshot " not in flat(run("snapshots", *words[:4]).err)


@pytest.fixture
def lake(spark: SparkSession) -> Iterator[str]:
    with schema(spark, "pruned") as name:
        yield name


def test_committed_files_are_listed(run: Run, days: Path) -> None:
    folder = days / "members/snapshot=20261105T060000Z"
    ours = sorted(map(str, folder.iterdir()))
    shutil.copy(ours[0], folder / "copy.parquet")
    output = run("snapshots", days, "--files", "--since", "1h", "--format", "json")
    named = [row["path"] for row in tables_of(output)["files"] if row["table"] == "members"]
    assert (len(ours), named) == (2, ours)
    assert files_of(str(days), "members", "20261105T060000Z") == ours
    with pytest.raises(InputError, match="has no table lag of snapshot 20261105T060000Z"):
        files_of(str(days), "lag", "20261105T060000Z")


class TestCompact:
    """`--compact`."""

    def test_files_of_a_day_become_few(self, run: Run, days: Path) -> None:
        parts = [*days.glob("*/snapshot=20261105T060000Z/*")]
        printed = flat(run("snapshots", days, "--compact").out)
        assert f"20261105 1 {len(parts)} {len(parts) // 2} " in printed
        assert [*days.glob("*/snapshot=20261105T060000Z/*")] == parts
        before = listed(run, days)
        output = run("snapshots", days, "--compact", "--no-dry-run", "--format", "json")
        (row,) = tables_of(output)["compact"]
        after = [*days.glob("*/snapshot=20261105T060000Z/*")]
        assert len(after) == row["fewer"] == len(parts) // 2
        assert row["bytes_after"] <= row["bytes"]
        assert listed(run, days) == before
        output = run("snapshots", days, "--compact")
        assert (output.code, output.out) == (0, "")
        assert output.err.startswith("No snapshot has more files than it needs.\n")

    def test_when_it_cannot_be_done_the_exit_code_says_so(
        self, run: Run, days: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("spark.store.commit.write_file", full)
        output = run("snapshots", days, "--compact", "--apply")
        assert output.code == 3
        assert "1 of 1 snapshot could not be compacted: " in flat(output.err)
        assert "No space left on device" in flat(output.err)
        assert run("snapshots", days, "--compact").code == 0

    def test_what_a_run_before_left_goes_even_if_nothing_is_to_be_done(
        self, run: Run, days: Path
    ) -> None:
        assert run("snapshots", days, "--compact", "--apply").code == 0
        left = days / ".evenfleet/runs/20261121T060000Z-dead/replaced/members"
        left.mkdir(parents=True)
        for words, is_left in (((), True), (("--apply",), False)):
            assert run("snapshots", days, "--compact", *words).code == 0
            assert left.exists() == is_left


def test_where_only_another_program_can_do_it(run: Run, lake: str) -> None:
    output = run("snapshots", "--tables", lake, "--compact")
    check_refused(output, "are compacted by what keeps them")
