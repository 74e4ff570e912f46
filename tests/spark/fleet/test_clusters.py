"""The newest snapshot of each cluster, as far as a greatest age reaches back."""

import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot, InputError
from spark.fleet.clusters import Composition, compositions
from spark.fleet.local_store import write_store
from spark.fleet.results import read_planned
from spark.fleet.store import Stored
from spark.store import Folder
from tests.support.fleets import Fleet, write_files

FIVE, SIX, SEVEN = (f"20261121T0{hour}0000Z" for hour in (5, 6, 7))
YESTERDAY = "20261120T065959Z"
A_DAY_BEFORE = "20261120T070000Z"
LONG_AGO, LONGER_AGO = "20261119T000000Z", "20261118T000000Z"
OTHER_NAME = "20260101T000000Z"

DAY = timedelta(hours=24)


def fleet_of(*clusters: str, group: str = "g") -> Fleet:
    """In each cluster a group of a member that reads two partitions and owns one."""
    fleet = Fleet()
    for cluster in clusters:
        fleet.topic("t", 2, cluster=cluster)
        fleet.group(group, {"m": ["t"]}, [("t", 0, "m")], cluster=cluster)
    return fleet


def keep(store: Path, snapshot: str, *clusters: str) -> None:
    fleet_of(*clusters, group=f"g-{snapshot}").store(store, snapshot)


def keep_under(store: Path, name: str, *clusters: str) -> None:
    """A snapshot with a name that no command of ours gives one."""
    keep(store, OTHER_NAME, *clusters)
    for folder in store.glob(f"*/snapshot={OTHER_NAME}"):
        folder.rename(folder.with_name(f"snapshot={name}"))


def spoil(store: Path, snapshot: str, table: str = "*") -> None:
    for part in store.glob(f"{table}/snapshot={snapshot}/*.parquet"):
        part.write_bytes(b"no parquet")


def left_out(cluster: str, snapshot: str, why: str = f"isn't within max_age of {SEVEN}") -> str:
    return f"cluster {cluster} is left out: {snapshot}, the last snapshot with it, {why}"


def groups(fleet: FleetSnapshot) -> set[tuple[str, str]]:
    return {(row.cluster, row.group) for row in fleet.tables["groups"].collect()}


OF_A_DAY = {YESTERDAY: "c", A_DAY_BEFORE: "b", SEVEN: "a"}


@pytest.mark.parametrize(
    ("stored", "max_age", "instants", "too_old"),
    [
        ({FIVE: "abc", SIX: "b", SEVEN: "a"}, DAY, {"a": SEVEN, "b": SIX, "c": FIVE}, {}),
        (OF_A_DAY, DAY, {"a": SEVEN, "b": A_DAY_BEFORE}, {"c": YESTERDAY}),
        (OF_A_DAY, 2 * DAY, {"a": SEVEN, "b": A_DAY_BEFORE, "c": YESTERDAY}, {}),
        (OF_A_DAY, 0 * DAY, {"a": SEVEN}, {"b": A_DAY_BEFORE, "c": YESTERDAY}),
        ({YESTERDAY: "bc", SEVEN: "a"}, DAY, {"a": SEVEN}, {"b": YESTERDAY, "c": YESTERDAY}),
        ({YESTERDAY: "bc", SIX: "c", SEVEN: "a"}, DAY, {"a": SEVEN, "c": SIX}, {"b": YESTERDAY}),
        # not in the last snapshot beyond reach
        (
            {LONGER_AGO: "c", LONG_AGO: "b", YESTERDAY: "a", SEVEN: "a"},
            DAY,
            {"a": SEVEN},
            {"b": LONG_AGO, "c": LONGER_AGO},
        ),
    ],
)
def test_each_cluster_is_of_its_newest_snapshot(
    tmp_path: Path,
    stored: Mapping[str, str],
    max_age: timedelta,
    instants: Mapping[str, str],
    too_old: Mapping[str, str],
) -> None:
    for snapshot, clusters in stored.items():
        keep(tmp_path, snapshot, *clusters)
    fleet = FleetFiles.read(str(tmp_path), max_age=max_age)
    assert (fleet.id, fleet.instants, fleet.clusters()) == (SEVEN, instants, instants)
    assert fleet.notes == tuple(left_out(*item) for item in too_old.items())
    alone = FleetFiles.read(str(tmp_path), SEVEN)
    assert (alone.clusters(), alone.notes) == ({"a": SEVEN}, ())


def test_ids_that_are_no_times_are_passed_over_and_named(tmp_path: Path) -> None:
    """Wherever they sort."""
    keep_under(tmp_path, "1-night", "a")
    keep_under(tmp_path, "today", "a")
    with pytest.raises(InputError, match=r"snapshot today of store .*: its id isn't a time"):
        FleetFiles.read(str(tmp_path))
    keep(tmp_path, SEVEN, "a")
    fleet = FleetFiles.read(str(tmp_path))
    assert (fleet.id, fleet.clusters()) == (SEVEN, {"a": SEVEN})
    assert fleet.notes == tuple(
        f"Skipped: snapshot {item}: its id isn't a time like 20261121T060000Z"
        for item in ("1-night", "today")
    )
    with pytest.raises(InputError, match=r"snapshot today of store .*: its id isn't a time"):
        FleetFiles.read(str(tmp_path), "today")


def test_a_broken_older_snapshot_stops_only_who_needs_it(tmp_path: Path) -> None:
    for snapshot, clusters in ((FIVE, "ab"), (SIX, "b"), (SEVEN, "a")):
        keep(tmp_path, snapshot, *clusters)
    spoil(tmp_path, FIVE)
    assert FleetFiles.read(str(tmp_path)).instants == {"a": SEVEN, "b": SIX}
    spoil(tmp_path, SIX, "assignments")
    fleet = FleetFiles.read(str(tmp_path))
    assert fleet.instants == {"a": SEVEN}
    assert fleet.notes[0] == left_out("b", SIX, "isn't whole")
    with pytest.raises(InputError, match=f"snapshot {SIX} of .* isn't whole: .*assignments"):
        FleetFiles.read(str(tmp_path), SIX)
    spoil(tmp_path, SIX)  # nobody knows then of what clusters it was
    fleet = FleetFiles.read(str(tmp_path))
    assert fleet.instants == {"a": SEVEN}
    notes = [f"Skipped: snapshot {snapshot} isn't whole: " for snapshot in (FIVE, SIX)]
    assert [note[: len(notes[0])] for note in fleet.notes] == notes
    assert fleet.notes[1].endswith("can't be read: it has 10 bytes, which is no Parquet")


def test_tables_of_several_snapshots_are_one_fleet(spark: SparkSession, tmp_path: Path) -> None:
    """A cluster without groups is one; optional tables are those of any; no null key is lost."""
    keep(tmp_path, FIVE, "a", "b", "c")
    write_store(fleet_of("b").topic("t", 2, "d").tables("groups"), tmp_path, SIX)
    later = fleet_of("a").add("brokers", cluster="a", broker=1).add("members", cluster=None)
    later.store(tmp_path, SEVEN)
    fleet = FleetSnapshot.read(spark, str(tmp_path))
    assert fleet.id == SEVEN
    assert fleet.instants == {"a": SEVEN, "b": SIX, "c": FIVE, "d": SIX} == fleet.clusters()
    assert groups(fleet) == {("a", "g"), ("c", f"g-{FIVE}")}
    counts = {"members": 4, "partitions": 8, "assignments": 3, "brokers": 1}
    assert {name: fleet.tables[name].count() for name in counts} == counts
    with pytest.raises(InputError, match=r"keys that are null .*members\.cluster: 1 rows"):
        fleet.validate()
    assert groups(FleetSnapshot.read(spark, str(tmp_path), FIVE)) == {
        (cluster, f"g-{FIVE}") for cluster in "abc"
    }


def test_a_cluster_is_added_beside_what_spark_has_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Its files call the elements of lists otherwise, and every column may be null."""
    first = fleet_of("a")
    first.rows["partitions"][0]["replicas"] = [1, 2]
    first.snapshot(spark).write(str(tmp_path))
    later = fleet_of("b")
    later.rows["partitions"][1]["replicas"] = [2, 3]
    later.store(tmp_path, SIX)
    fleet = FleetSnapshot.read(spark, str(tmp_path)).validate()
    assert fleet.clusters() == {"a": SIX, "b": SIX}
    partitions = fleet.tables["partitions"].orderBy("cluster", "partition").collect()
    assert [row.replicas for row in partitions] == [[1, 2], None, None, [2, 3]]


def test_what_a_fleet_is_compared_with(tmp_path: Path) -> None:
    """Each cluster with its own snapshot before, a single one with the last beyond reach."""
    there = {YESTERDAY: "a", FIVE: "ab", SIX: "bc", SEVEN: "a"}
    for snapshot, clusters in there.items():
        keep(tmp_path, snapshot, *clusters)
    place = Folder(tmp_path)
    newest, older = compositions(place, "", Stored(there, {}.get), DAY)
    assert newest == Composition(SEVEN, {"a": SEVEN, "b": SIX, "c": SIX})
    assert older() == Composition(FIVE, {"a": FIVE, "b": FIVE, "c": YESTERDAY})
    keep(tmp_path, LONG_AGO, "a", "b")
    newest, older = compositions(place, "", Stored([LONG_AGO, SEVEN], {}.get), DAY)
    assert newest == Composition(SEVEN, {"a": SEVEN}, {"b": LONG_AGO})
    assert older() == Composition(LONG_AGO)
    newest, older = compositions(place, "", Stored([SEVEN], {}.get), DAY)
    assert (newest, older()) == (Composition(SEVEN), None)


def test_a_plans_fleet_is_found_again_whatever_has_come_since(
    spark: SparkSession, tmp_path: Path
) -> None:
    """By the plan's table of clusters; a plan without one is of its snapshot alone."""
    store, out = tmp_path / "store", tmp_path / "plan"
    for snapshot, clusters in ((FIVE, "b"), (SEVEN, "a"), (SIX, "bc")):
        keep(store, snapshot, *clusters)
    of_plan = pa.table({"cluster": ["a", "b"], "instant": [SEVEN, FIVE]})
    write_files({"groups": of_plan, "clusters": of_plan}, out, SEVEN)
    assert read_planned(spark, str(store), str(out), SEVEN).instants == {"a": SEVEN, "b": FIVE}
    shutil.rmtree(out / "clusters")
    assert read_planned(spark, str(store), str(out), SEVEN).clusters() == {"a": SEVEN}
