"""Which snapshots have had their time."""

from __future__ import annotations

import fcntl
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot
from spark.errors import InputError, UnreadableError
from spark.files import LocalStore
from spark.fleet import Retention, prune, pruning_of, snapshots, time_of
from spark.fleet.retention import Pruning
from tests.spark.fleet.test_clusters import keep, keep_under

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
DAYS = timedelta(days=1)


def hour(day: int, at: int) -> str:
    return f"202611{day:02}T{at:02}0000Z"


def look(store: Path, retention: Retention, now: datetime = NOW) -> Pruning:
    place = LocalStore(store)
    return pruning_of(place, str(store), retention, now)


def aged(store: Path, retention: Retention, now: datetime = NOW) -> list[str]:
    return [item.snapshot for item in look(store, retention, now).aged]


class TestDaily:
    """`Retention.needed`, of one cluster."""

    def test_the_newest_stays_without_any_a_day(self) -> None:
        ids = [hour(19, 0), hour(20, 0), hour(20, 5)]
        assert Retention(DAYS).needed(ids) == {hour(20, 5)}

    @pytest.mark.parametrize(
        ("daily", "hours"), [(1, {23}), (2, {11, 23}), (3, {7, 15, 23}), (24, {*range(24)})]
    )
    def test_of_a_full_day_the_last_of_each_part_stays(self, daily: int, hours: set[int]) -> None:
        ids = [hour(20, at) for at in range(24)]
        assert Retention(DAYS, daily).needed(ids) == {hour(20, at) for at in hours}

    def test_where_a_part_has_none_others_stay(self) -> None:
        ids = [hour(19, at) for at in (1, 2, 3)] + [hour(20, 1)]
        assert Retention(DAYS, 2).needed(ids) == {hour(19, 2), hour(19, 3), hour(20, 1)}
        assert Retention(DAYS, 9).needed(ids) == {*ids}

    @pytest.mark.parametrize("daily", [1, 2, 5])
    def test_who_prunes_by_the_hour_keeps_the_same(self, daily: int) -> None:
        """What goes early is never what would have been kept."""
        full = [hour(20, at) for at in range(24)]
        last = Retention(DAYS, daily).needed(full)
        there = full
        for at in range(24):
            needed = Retention(DAYS, daily).needed(there)
            there = [item for item in there if item in needed or item > hour(20, at)]
        assert {*there} == last


class TestPruning:
    """What goes of a store, and what stays and why."""

    def test_older_ones_go_and_the_newest_of_each_cluster_stays(self, tmp_path: Path) -> None:
        keep(tmp_path, hour(10, 0), "a")
        keep(tmp_path, hour(11, 0), "a", "b")
        keep(tmp_path, hour(12, 0), "a")
        keep(tmp_path, hour(20, 0), "a")
        keep(tmp_path, hour(21, 7), "a")
        result = look(tmp_path, Retention(2 * DAYS))
        assert [item.snapshot for item in result.aged] == [hour(10, 0), hour(12, 0)]
        assert (result.kept, result.left) == ([hour(11, 0)], {})
        of_it = result.aged[0]
        parts = [*tmp_path.glob(f"*/snapshot={hour(10, 0)}/*")]
        assert (of_it.clusters, of_it.files) == (("a",), len(parts))
        assert of_it.bytes == sum(part.stat().st_size for part in parts)

    def test_a_snapshot_of_several_clusters_goes_when_none_needs_it(self, tmp_path: Path) -> None:
        """The last of a's day, that of b's, and one that is neither."""
        keep(tmp_path, hour(10, 1), "a", "b")
        keep(tmp_path, hour(10, 2), "a", "b")
        keep(tmp_path, hour(10, 3), "a")
        keep(tmp_path, hour(21, 7), "a", "b")
        assert aged(tmp_path, Retention(DAYS, 1)) == [hour(10, 1)]
        assert aged(tmp_path, Retention(DAYS)) == [hour(10, at) for at in (1, 2, 3)]

    def test_age_is_counted_from_the_newest_or_from_now(self, tmp_path: Path) -> None:
        for at in (1, 2, 3, 4):
            keep(tmp_path, hour(at, 0), "a")
        assert aged(tmp_path, Retention(2 * DAYS)) == [hour(1, 0)]
        assert aged(tmp_path, Retention(DAYS), datetime(2026, 11, 3, tzinfo=UTC)) == [hour(1, 0)]
        keep(tmp_path, "29990101T000000Z", "a")
        early = datetime(2026, 11, 4, tzinfo=UTC)
        assert aged(tmp_path, Retention(2 * DAYS), early) == [hour(1, 0)]

    def test_one_that_is_just_as_old_stays(self, tmp_path: Path) -> None:
        keep(tmp_path, hour(19, 7), "a")
        keep(tmp_path, hour(20, 7), "a")
        keep(tmp_path, hour(21, 7), "a")
        assert aged(tmp_path, Retention(DAYS)) == [hour(19, 7)]

    def test_what_is_not_judged_is_named(self, tmp_path: Path) -> None:
        lacking, broken, written, running = (hour(10, at) for at in (1, 2, 3, 4))
        for item in (lacking, broken, written, running, hour(10, 5), hour(21, 7)):
            keep(tmp_path, item, "a")
        keep_under(tmp_path, "1-night", "a")
        for part in tmp_path.glob(f"members/snapshot={lacking}/*"):
            part.unlink()
        for part in tmp_path.glob(f"members/snapshot={broken}/*"):
            part.write_bytes(b"no parquet")
        (tmp_path / f"groups/snapshot={written}/_temporary").mkdir()
        run = tmp_path / ".evenfleet/runs/20261121T070000Z-x"
        (run / f"members/snapshot={running}").mkdir(parents=True)
        lock = os.open(run, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = look(tmp_path, Retention(DAYS))
        os.close(lock)
        assert [element.snapshot for element in result.aged] == [hour(10, 5)]
        why = {
            element: output.rpartition(".parquet ")[2] for element, output in result.left.items()
        }
        assert why == {
            "1-night": "its id isn't a time like 20261121T060000Z",
            lacking: "it lacks members",
            broken: "can't be read: it has 10 bytes, which is no Parquet",
            written: "it is being written, or its writing was cut short",
            running: "it is being written, or its writing was cut short",
        }

    def test_a_table_of_which_nothing_can_be_told_keeps_its_snapshot(self, tmp_path: Path) -> None:
        """Its size is right, and no manifest tells what it had."""
        for at in (10, 21):
            keep(tmp_path, hour(at, 0), "a")
        for manifest in tmp_path.glob(".evenfleet/manifests/*/*"):
            manifest.unlink()
        (part,) = tmp_path.glob(f"groups/snapshot={hour(10, 0)}/*")
        part.write_bytes(bytes(part.stat().st_size))
        assert look(tmp_path, Retention(DAYS)).left == {hour(10, 0): "groups can't be read"}

    def test_ids_without_a_time_alone(self, tmp_path: Path) -> None:
        keep_under(tmp_path, "night", "a")
        result = look(tmp_path, Retention(DAYS))
        assert (result.before, result.aged) == (None, ())

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="has no snapshot: import or write one first"):
            look(tmp_path, Retention(DAYS))


class TestPrune:
    """Removing."""

    def test_what_was_found_goes_and_the_rest_is_as_it_was(self, tmp_path: Path) -> None:
        for at in (1, 2, 3):
            keep(tmp_path, hour(10, at), "a")
        keep(tmp_path, hour(21, 7), "a")
        stays = {path: path.read_bytes() for path in tmp_path.rglob(f"snapshot={hour(21, 7)}/*")}
        result = look(tmp_path, Retention(DAYS, 1))
        assert [*prune(result)] == [hour(10, 1), hour(10, 2)]
        place = LocalStore(tmp_path)
        assert snapshots(place, "") == [hour(10, 3), hour(21, 7)]
        assert [*tmp_path.rglob(f"snapshot={hour(10, 1)}")] == []
        assert stays == {path: path.read_bytes() for path in stays}
        assert [*prune(look(tmp_path, Retention(DAYS, 1)))] == []

    def test_one_to_which_a_cluster_has_come_since_stays(self, tmp_path: Path) -> None:
        keep(tmp_path, hour(10, 1), "a")
        keep(tmp_path, hour(10, 2), "a")
        keep(tmp_path, hour(21, 7), "a")
        result = look(tmp_path, Retention(DAYS))
        keep(tmp_path, hour(10, 1), "b")
        assert [*prune(result)] == [hour(10, 2)]
        assert snapshots(LocalStore(tmp_path), "") == [hour(10, 1), hour(21, 7)]

    def test_who_has_begun_to_read_one_that_goes_is_told(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An optional table that is gone by then isn't taken for one that was never there."""
        for at in (10, 21):
            keep(tmp_path, hour(at, 0), "a")
        report = f"{hour(10, 0)} of .* was removed while it was read: run it again"
        parts = LocalStore.parts

        def late(place: LocalStore, table: str, snapshot: str, thoroughly: bool = True) -> object:
            if thoroughly and snapshot == hour(10, 0):  # the first table that is read
                monkeypatch.setattr(LocalStore, "parts", parts)
                assert [*prune(look(tmp_path, Retention(DAYS)))] == [hour(10, 0)]
            return parts(place, table, snapshot, thoroughly)

        for read in (
            lambda: FleetFiles.read(str(tmp_path), hour(10, 0)),
            lambda: FleetSnapshot.read(spark, str(tmp_path), hour(10, 0)),
        ):
            monkeypatch.setattr(LocalStore, "parts", late)
            with pytest.raises(UnreadableError, match=report):
                read()
            keep(tmp_path, hour(10, 0), "a")

    def test_one_that_is_being_removed_is_not_added_to(self, tmp_path: Path) -> None:
        keep(tmp_path, hour(10, 1), "a")
        (manifest,) = tmp_path.glob(".evenfleet/manifests/*/*")
        removed = '{"version": 2, "tables": {}, "removed": ["assignments", "brokers", "groups", '
        removed += '"members", "offsets", "partitions", "subscriptions"]}'
        manifest.with_name("000002.json").write_text(removed)
        assert snapshots(LocalStore(tmp_path), "") == []
        with pytest.raises(InputError, match="is being removed: write it again in a moment"):
            keep(tmp_path, hour(10, 1), "b")


def test_rows_of_another_programs_files_are_counted(tmp_path: Path) -> None:
    """They have no manifest: their footers tell."""
    keep(tmp_path / "ours", hour(10, 0), "a")
    for part in (tmp_path / "ours").glob("*/snapshot=*/*.parquet"):
        there = tmp_path / "store" / part.relative_to(tmp_path / "ours").parent
        there.mkdir(parents=True)
        pq.write_table(pq.ParquetFile(part).read(), there / "data.parquet")
    keep(tmp_path / "store", hour(21, 7), "a")
    (of_it,) = look(tmp_path / "store", Retention(DAYS)).aged
    rows = sum(len(pq.ParquetFile(part).read()) for part in (tmp_path / "ours").rglob("*.parquet"))
    assert (of_it.clusters, of_it.rows) == (("a",), rows)
    assert time_of(of_it.snapshot) == datetime(2026, 11, 10, tzinfo=UTC)
