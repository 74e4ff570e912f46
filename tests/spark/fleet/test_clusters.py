"""The newest snapshot of each cluster, as far as a greatest age reaches back."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError, plan_fleet
from spark.fleet.clusters import Composition, clusters_in, compositions, time_of, within_reach
from spark.fleet.local_store import write_store
from spark.fleet.results import read_planned
from spark.fleet.store import Stored
from tests.support.fleets import Fleet

FIVE, SIX, SEVEN = (f"20261121T0{hour}0000Z" for hour in (5, 6, 7))
YESTERDAY = "20261120T065959Z"
A_DAY_BEFORE = "20261120T070000Z"
OTHER_NAME = "20260101T000000Z"


def fleet_of(*clusters: str, group: str = "g") -> Fleet:
    """In each cluster a group of a member that reads two partitions and owns one."""
    fleet = Fleet()
    for cluster in clusters:
        fleet.topic("t", 2, cluster=cluster)
        fleet.group(group, {"m": ["t"]}, [("t", 0, "m")], cluster=cluster)
    return fleet


def keep(store: Path, snapshot: str, *clusters: str) -> None:
    write_store(fleet_of(*clusters, group=f"g-{snapshot}").tables(), store, snapshot)


def keep_under(store: Path, name: str, *clusters: str) -> None:
    """A snapshot with a name that no command of ours gives one."""
    keep(store, OTHER_NAME, *clusters)
    for folder in store.glob(f"*/snapshot={OTHER_NAME}"):
        folder.rename(folder.with_name(f"snapshot={name}"))


def stored(*snapshots: str) -> Stored:
    return Stored.of(snapshots)


def groups(fleet: FleetSnapshot) -> set[tuple[str, str]]:
    return {(row.cluster, row.group) for row in fleet.tables["groups"].collect()}


@pytest.mark.parametrize(
    ("snapshot", "hour"),
    [(SIX, 6), ("20260230T060000Z", None), ("2026-11-21", None), ("s-1", None), (f"{SIX}1", None)],
)
def test_the_time_of_an_id(snapshot: str, hour: int | None) -> None:
    time = time_of(snapshot)
    assert (time and time.hour) == hour


def test_what_is_within_reach() -> None:
    day = timedelta(hours=24)
    assert within_reach([YESTERDAY, A_DAY_BEFORE, SIX, SEVEN], day) == [A_DAY_BEFORE, SIX, SEVEN]
    assert within_reach([SIX, SEVEN], timedelta(0)) == [SEVEN]


class TestRead:
    """`FleetSnapshot.read` of a store in which clusters were collected apart."""

    def test_each_cluster_is_of_its_newest_snapshot(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        keep(tmp_path, FIVE, "a", "b", "c")
        keep(tmp_path, SIX, "b")
        keep(tmp_path, SEVEN, "a")
        fleet = FleetSnapshot.read(spark, str(tmp_path)).validate()
        assert fleet.id == SEVEN
        assert fleet.instants == {"a": SEVEN, "b": SIX, "c": FIVE} == fleet.clusters()
        assert groups(fleet) == {("a", f"g-{SEVEN}"), ("b", f"g-{SIX}"), ("c", f"g-{FIVE}")}
        for name, rows in (("members", 3), ("partitions", 6), ("assignments", 3)):
            assert fleet.tables[name].count() == rows

    def test_an_id_means_that_snapshot_alone(self, spark: SparkSession, tmp_path: Path) -> None:
        keep(tmp_path, SIX, "b")
        keep(tmp_path, SEVEN, "a")
        fleet = FleetSnapshot.read(spark, str(tmp_path), SEVEN)
        assert groups(fleet) == {("a", f"g-{SEVEN}")}
        assert fleet.clusters() == {"a": SEVEN}

    def test_what_is_too_old_is_left_out(self, spark: SparkSession, tmp_path: Path) -> None:
        keep(tmp_path, YESTERDAY, "c")
        keep(tmp_path, A_DAY_BEFORE, "b")
        keep(tmp_path, SEVEN, "a")
        assert FleetSnapshot.read(spark, str(tmp_path)).instants == {"a": SEVEN, "b": A_DAY_BEFORE}
        longer = FleetSnapshot.read(spark, str(tmp_path), max_age=timedelta(days=2))
        assert longer.instants == {"a": SEVEN, "b": A_DAY_BEFORE, "c": YESTERDAY}
        assert groups(FleetSnapshot.read(spark, str(tmp_path), max_age=timedelta(0))) == {
            ("a", f"g-{SEVEN}")
        }

    def test_ids_that_are_no_times_are_passed_over_and_named(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Wherever they sort."""
        keep_under(tmp_path, "1-night", "a")
        keep_under(tmp_path, "today", "a")
        with pytest.raises(InputError, match=r"snapshot today of store .*: its id isn't a time"):
            FleetSnapshot.read(spark, str(tmp_path))
        keep(tmp_path, SEVEN, "a")
        fleet = FleetSnapshot.read(spark, str(tmp_path))
        assert (fleet.id, groups(fleet)) == (SEVEN, {("a", f"g-{SEVEN}")})
        assert fleet.notes == tuple(
            f"Skipped: snapshot {item}: its id isn't a time like 20261121T060000Z"
            for item in ("1-night", "today")
        )
        with pytest.raises(InputError, match=r"snapshot today of store .*: its id isn't a time"):
            FleetSnapshot.read(spark, str(tmp_path), "today")

    def test_a_single_snapshot_is_not_searched_for_clusters(
        self, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("spark.fleet.clusters.clusters_in", None)
        keep(tmp_path, SEVEN, "a")
        assert groups(FleetSnapshot.read(spark, str(tmp_path))) == {("a", f"g-{SEVEN}")}

    def test_a_cluster_that_is_too_old_is_named(self, spark: SparkSession, tmp_path: Path) -> None:
        keep(tmp_path, YESTERDAY, "b", "c")
        keep(tmp_path, SEVEN, "a")
        left_out = [
            f"cluster {cluster} is left out: {YESTERDAY}, the last snapshot with it, isn't within "
            f"max_age of {SEVEN}"
            for cluster in "bc"
        ]
        assert FleetSnapshot.read(spark, str(tmp_path)).notes == tuple(left_out)
        keep(tmp_path, SIX, "c")
        assert FleetSnapshot.read(spark, str(tmp_path)).notes == (left_out[0],)

    def test_a_cluster_that_stopped_long_ago_is_named(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Not in the last snapshot beyond reach."""
        keep(tmp_path, "20261119T000000Z", "b")
        keep(tmp_path, "20261118T000000Z", "c")
        keep(tmp_path, YESTERDAY, "a")
        keep(tmp_path, SEVEN, "a")
        assert FleetSnapshot.read(spark, str(tmp_path)).notes == tuple(
            f"cluster {cluster} is left out: {item}, the last snapshot with it, isn't within "
            f"max_age of {SEVEN}"
            for cluster, item in (("b", "20261119T000000Z"), ("c", "20261118T000000Z"))
        )

    def test_a_snapshot_of_which_nothing_can_be_read_is_named(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        keep(tmp_path, SIX, "b")
        keep(tmp_path, SEVEN, "a")
        for part in tmp_path.glob(f"*/snapshot={SIX}/*.parquet"):
            part.write_bytes(b"no parquet")
        keep(tmp_path, FIVE, "a")
        fleet = FleetSnapshot.read(spark, str(tmp_path))
        assert fleet.instants == {"a": SEVEN}
        (note,) = fleet.notes
        assert note.startswith(f"Skipped: snapshot {SIX} isn't whole: ")
        assert note.endswith(".parquet can't be read: it has 10 bytes, which is no Parquet")

    @pytest.mark.parametrize("name", [f"{SIX} copy", "{x", "[y", "a,b"])
    def test_folders_of_odd_names_beside_the_snapshots(
        self, spark: SparkSession, tmp_path: Path, name: str
    ) -> None:
        keep(tmp_path, SEVEN, "a")
        for table in ("members", "subscriptions", "partitions", "assignments", "groups"):
            shutil.copytree(
                tmp_path / table / f"snapshot={SEVEN}", tmp_path / table / f"snapshot={name}"
            )
        newest, _ = compositions(
            spark, str(tmp_path), stored(SIX, name, SEVEN), timedelta(hours=24)
        )
        assert newest.instants == {"a": SEVEN}
        assert clusters_in(spark, str(tmp_path), [name]) == {name: ["a"]}

    def test_a_cluster_without_groups_is_a_cluster(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        write_store(Fleet().topic("t", 2, cluster="b").tables(), tmp_path, SIX)
        keep(tmp_path, SEVEN, "a")
        fleet = FleetSnapshot.read(spark, str(tmp_path))
        assert fleet.instants == {"a": SEVEN, "b": SIX}
        assert fleet.tables["partitions"].where("cluster = 'b'").count() == 2

    def test_optional_tables_are_those_of_any(self, spark: SparkSession, tmp_path: Path) -> None:
        write_store(fleet_of("b").tables("groups"), tmp_path, SIX)
        later = fleet_of("a").add("brokers", cluster="a", broker=1)
        write_store(later.tables(), tmp_path, SEVEN)
        fleet = FleetSnapshot.read(spark, str(tmp_path))
        assert fleet.tables["brokers"].count() == 1
        with plan_fleet(fleet) as plan:
            rows = plan.groups.orderBy("cluster").collect()
        assert [(row.cluster, row.status) for row in rows] == [("a", "ok"), ("b", "ok")]

    def test_a_broken_older_snapshot_stops_only_who_needs_it(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        keep(tmp_path, FIVE, "a", "b")
        keep(tmp_path, SIX, "b")
        keep(tmp_path, SEVEN, "a")
        for part in tmp_path.glob(f"*/snapshot={FIVE}/*.parquet"):
            part.write_bytes(b"no parquet")
        assert FleetSnapshot.read(spark, str(tmp_path)).instants == {"a": SEVEN, "b": SIX}
        (part,) = tmp_path.glob(f"assignments/snapshot={SIX}/*.parquet")
        part.write_bytes(b"no parquet")
        fleet = FleetSnapshot.read(spark, str(tmp_path))
        assert fleet.instants == {"a": SEVEN}
        assert fleet.notes[0] == (
            f"cluster b is left out: {SIX}, the last snapshot with it, isn't whole"
        )
        with pytest.raises(InputError, match=f"snapshot {SIX} of .* isn't whole: .*assignments"):
            FleetSnapshot.read(spark, str(tmp_path), SIX)

    def test_rows_of_no_cluster_are_not_lost(self, spark: SparkSession, tmp_path: Path) -> None:
        keep(tmp_path, SIX, "b")
        write_store(fleet_of("a").add("members", cluster=None).tables(), tmp_path, SEVEN)
        with pytest.raises(InputError, match=r"keys that are null .*members\.cluster: 1 rows"):
            FleetSnapshot.read(spark, str(tmp_path)).validate()


class TestAdded:
    """A cluster that is added to a snapshot of a store."""

    def test_beside_what_spark_has_written(self, spark: SparkSession, tmp_path: Path) -> None:
        """Its files call the elements of lists otherwise, and every column may be null."""
        first = fleet_of("a")
        first.rows["partitions"][0]["replicas"] = [1, 2]
        first.snapshot(spark).write(str(tmp_path))
        later = fleet_of("b")
        later.rows["partitions"][1]["replicas"] = [2, 3]
        write_store(later.tables(), tmp_path, SIX)
        fleet = FleetSnapshot.read(spark, str(tmp_path)).validate()
        assert fleet.clusters() == {"a": SIX, "b": SIX}
        partitions = fleet.tables["partitions"].orderBy("cluster", "partition").collect()
        assert [row.replicas for row in partitions] == [[1, 2], None, None, [2, 3]]


class TestBefore:
    """`compositions`: what a fleet is compared with."""

    def test_each_cluster_is_compared_with_its_own_snapshot_before(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        there = [YESTERDAY, FIVE, SIX, SEVEN]
        for snapshot, clusters in zip(there, ["a", "ab", "bc", "a"], strict=True):
            keep(tmp_path, snapshot, *clusters)
        newest, before = compositions(spark, str(tmp_path), stored(*there), timedelta(hours=24))
        assert newest == Composition(SEVEN, {"a": SEVEN, "b": SIX, "c": SIX})
        assert before == Composition(FIVE, {"a": FIVE, "b": FIVE, "c": YESTERDAY})

    def test_one_within_reach_is_compared_with_the_one_before_it(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        keep(tmp_path, YESTERDAY, "a", "b")
        keep(tmp_path, SEVEN, "a")
        day = timedelta(hours=24)
        result = compositions(spark, str(tmp_path), stored(YESTERDAY, SEVEN), day)
        assert result == (
            Composition(SEVEN, {"a": SEVEN}, {"b": YESTERDAY}),
            Composition(YESTERDAY),
        )
        assert compositions(spark, "nowhere", stored(SEVEN), day) == (Composition(SEVEN), None)


class TestPlanned:
    """A plan's fleet is found again."""

    def test_whatever_has_come_since(self, spark: SparkSession, tmp_path: Path) -> None:
        store, out = tmp_path / "store", str(tmp_path / "plan")
        keep(store, FIVE, "b")
        keep(store, SEVEN, "a")
        with plan_fleet(FleetSnapshot.read(spark, str(store))) as plan:
            plan.write(out)
        keep(store, SIX, "b", "c")
        fleet = read_planned(spark, str(store), out, SEVEN)
        assert groups(fleet) == {("a", f"g-{SEVEN}"), ("b", f"g-{FIVE}")}
        with plan_fleet(FleetSnapshot.read(spark, str(store), SEVEN)) as plan:
            plan.write(out)
        assert groups(read_planned(spark, str(store), out, SEVEN)) == {("a", f"g-{SEVEN}")}

    def test_what_is_gone_is_named(self, spark: SparkSession, tmp_path: Path) -> None:
        store, out = tmp_path / "store", tmp_path / "plan"
        keep(store, SEVEN, "a")
        (out / "clusters" / f"snapshot={SEVEN}").mkdir(parents=True)
        rows = pa.table({"cluster": ["a", "b"], "instant": [SEVEN, SIX]})
        pq.write_table(rows, out / "clusters" / f"snapshot={SEVEN}" / "part-0.parquet")
        with pytest.raises(
            InputError, match=f"has no snapshot {SIX}: the newest it has are {SEVEN}"
        ):
            read_planned(spark, str(store), str(out), SEVEN)
