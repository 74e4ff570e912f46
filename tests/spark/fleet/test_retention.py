"""Which snapshots have had their time."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot
from spark.errors import InputError, UnreadableError
from spark.fleet import Retention, prune, pruning_of, snapshots, time_of
from spark.fleet.retention import Pruning
from spark.store import Folder
from tests.spark.fleet.test_clusters import fleet_of, keep, keep_under, spoil
from tests.spark.store.killed_at_each_step import running_run
from tests.support.fleets import write_files

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
DAYS = timedelta(days=1)


def hour(day: int, at: int) -> str:
    return f"202611{day:02}T{at:02}0000Z"


FULL_DAY = [hour(20, at) for at in range(24)]


def look(store: Path, retention: Retention, now: datetime = NOW) -> Pruning:
    place = Folder(store)
    return pruning_of(place, str(store), retention, now)


def aged(
    store: Path, stored: Mapping[str, str], retention: Retention, now: datetime = NOW
) -> list[str]:
    """What goes of a store with these snapshots, each of some clusters."""
    for snapshot, clusters in stored.items():
        keep(store, snapshot, *clusters)
    return [item.snapshot for item in look(store, retention, now).aged]


@pytest.mark.parametrize(
    ("daily", "hours"), [(1, {23}), (2, {11, 23}), (3, {7, 15, 23}), (24, {*range(24)})]
)
def test_of_a_full_day_the_last_of_each_part_stays(daily: int, hours: set[int]) -> None:
    """Who prunes by the hour keeps the same: what goes early never would have been kept."""
    needed = {hour(20, at) for at in hours}
    assert Retention(DAYS, daily).to_keep(FULL_DAY) == needed
    there = FULL_DAY
    for now in FULL_DAY:
        kept = Retention(DAYS, daily).to_keep(there)
        there = [item for item in there if item in kept or item > now]
    assert {*there} == needed


def test_the_newest_stays_and_where_a_part_has_none_others() -> None:
    assert Retention(DAYS).to_keep([hour(20, 0), hour(20, 5)]) == {hour(20, 5)}
    sparse = [*(hour(19, at) for at in (1, 2, 3)), hour(20, 1)]
    assert Retention(DAYS, 2).to_keep(sparse) == {hour(19, 2), hour(19, 3), hour(20, 1)}
    assert Retention(DAYS, 9).to_keep(sparse) == {*sparse}


def test_older_ones_go_when_no_cluster_needs_them(tmp_path: Path) -> None:
    """The last of a's day, that of b's, and one that is neither."""
    stored = {hour(10, 1): "ab", hour(10, 2): "ab", hour(10, 3): "a", hour(21, 7): "ab"}
    assert aged(tmp_path / "1", stored, Retention(DAYS, 1)) == [hour(10, 1)]
    assert aged(tmp_path / "2", stored, Retention(DAYS)) == [hour(10, at) for at in (1, 2, 3)]


def test_age_is_counted_from_the_newest_or_from_now(tmp_path: Path) -> None:
    """One that is just as old stays."""
    stored, first = {hour(at, 0): "a" for at in (1, 2, 3, 4)}, [hour(1, 0)]
    assert aged(tmp_path, stored, Retention(2 * DAYS)) == first
    assert aged(tmp_path, {}, Retention(DAYS), datetime(2026, 11, 3, tzinfo=UTC)) == first
    later, early = {"29990101T000000Z": "a"}, datetime(2026, 11, 4, tzinfo=UTC)
    assert aged(tmp_path, later, Retention(2 * DAYS), early) == first


def test_the_newest_of_each_cluster_stays(tmp_path: Path) -> None:
    for at, clusters in ((10, "a"), (11, "ab"), (12, "a"), (20, "a")):
        keep(tmp_path, hour(at, 0), *clusters)
    keep(tmp_path, hour(21, 7), "a")
    result = look(tmp_path, Retention(2 * DAYS))
    assert [item.snapshot for item in result.aged] == [hour(10, 0), hour(12, 0)]
    assert (result.kept, result.left) == ([hour(11, 0)], {})


def test_what_is_not_judged_is_named(tmp_path: Path) -> None:
    lacking, broken, written, running = (hour(10, at) for at in (1, 2, 3, 4))
    for item in (lacking, broken, written, running, hour(10, 5), hour(21, 7)):
        keep(tmp_path, item, "a")
    keep_under(tmp_path, "1-night", "a")
    for part in tmp_path.glob(f"members/snapshot={lacking}/*"):
        part.unlink()
    spoil(tmp_path, broken, "members")
    (tmp_path / f"groups/snapshot={written}/_temporary").mkdir()
    with running_run(tmp_path, f"members/snapshot={running}"):
        result = look(tmp_path, Retention(DAYS))
    assert [element.snapshot for element in result.aged] == [hour(10, 5)]
    why = {element: output.rpartition(".parquet ")[2] for element, output in result.left.items()}
    assert why == {
        "1-night": "its id isn't a time like 20261121T060000Z",
        lacking: "it lacks members",
        broken: "can't be read: it has 10 bytes, which is no Parquet",
        written: "it is being written, or its writing was cut short",
        running: "it is being written, or its writing was cut short",
    }


def test_a_table_of_which_nothing_can_be_told_keeps_its_snapshot(tmp_path: Path) -> None:
    """Its size is right, and no manifest tells what it had."""
    for at in (10, 21):
        keep(tmp_path, hour(at, 0), "a")
    for manifest in tmp_path.glob(".evenfleet/manifests/*/*"):
        manifest.unlink()
    (part,) = tmp_path.glob(f"groups/snapshot={hour(10, 0)}/*")
    part.write_bytes(bytes(part.stat().st_size))
    assert look(tmp_path, Retention(DAYS)).left == {hour(10, 0): "groups can't be read"}


def test_ids_without_a_time_alone_and_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no snapshot: import or write one first"):
        look(tmp_path, Retention(DAYS))
    keep_under(tmp_path, "night", "a")
    result = look(tmp_path, Retention(DAYS))
    assert (result.before, result.aged) == (None, ())


def test_what_was_found_goes_and_the_rest_is_as_it_was(tmp_path: Path) -> None:
    for at in (1, 2, 3):
        keep(tmp_path, hour(10, at), "a")
    keep(tmp_path, hour(21, 7), "a")
    stays = {path: path.read_bytes() for path in tmp_path.rglob(f"snapshot={hour(21, 7)}/*")}
    result = look(tmp_path, Retention(DAYS, 1))
    assert [*prune(result)] == [hour(10, 1), hour(10, 2)]
    place = Folder(tmp_path)
    assert snapshots(place, "") == [hour(10, 3), hour(21, 7)]
    assert [*tmp_path.rglob(f"snapshot={hour(10, 1)}")] == []
    assert stays == {path: path.read_bytes() for path in stays}
    assert [*prune(look(tmp_path, Retention(DAYS, 1)))] == []


def test_one_to_which_a_cluster_has_come_since_stays(tmp_path: Path) -> None:
    for snapshot in (hour(10, 1), hour(10, 2), hour(21, 7)):
        keep(tmp_path, snapshot, "a")
    result = look(tmp_path, Retention(DAYS))
    keep(tmp_path, hour(10, 1), "b")
    assert [*prune(result)] == [hour(10, 2)]
    assert snapshots(Folder(tmp_path), "") == [hour(10, 1), hour(21, 7)]


def test_who_has_begun_to_read_one_that_goes_is_told(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An optional table that is gone by then isn't taken for one that was never there."""
    for at in (10, 21):
        keep(tmp_path, hour(at, 0), "a")
    report = f"{hour(10, 0)} of .* was removed while it was read: run it again"
    parts = Folder.parts

    def late(place: Folder, table: str, snapshot: str, thoroughly: bool = True) -> object:
        if thoroughly and snapshot == hour(10, 0):  # the first table that is read
            monkeypatch.setattr(Folder, "parts", parts)
            assert [*prune(look(tmp_path, Retention(DAYS)))] == [hour(10, 0)]
        return parts(place, table, snapshot, thoroughly)

    for read in (
        lambda: FleetFiles.read(str(tmp_path), hour(10, 0)),
        lambda: FleetSnapshot.read(spark, str(tmp_path), hour(10, 0)),
    ):
        monkeypatch.setattr(Folder, "parts", late)
        with pytest.raises(UnreadableError, match=report):
            read()
        keep(tmp_path, hour(10, 0), "a")


def test_one_that_is_being_removed_is_not_added_to(tmp_path: Path) -> None:
    keep(tmp_path, hour(10, 1), "a")
    (manifest,) = tmp_path.glob(".evenfleet/manifests/*/*")
    removed = '{"version": 2, "tables": {}, "removed": ["assignments", "brokers", "groups", '
    removed += '"members", "offsets", "partitions", "subscriptions"]}'
    manifest.with_name("000002.json").write_text(removed)
    assert snapshots(Folder(tmp_path), "") == []
    with pytest.raises(InputError, match="is being removed: write it again in a moment"):
        keep(tmp_path, hour(10, 1), "b")


def test_rows_of_another_programs_files_are_counted(tmp_path: Path) -> None:
    """They have no manifest: their footers tell."""
    tables = fleet_of("a").tables()
    write_files(tables, tmp_path, hour(10, 0))
    keep(tmp_path, hour(21, 7), "a")
    (of_it,) = look(tmp_path, Retention(DAYS)).aged
    assert (of_it.clusters, of_it.rows) == (("a",), sum(map(len, tables.values())))
    assert time_of(of_it.snapshot) == datetime(2026, 11, 10, tzinfo=UTC)
