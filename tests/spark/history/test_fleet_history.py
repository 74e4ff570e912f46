"""Which snapshots a history is of, and how their groups were."""

import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot, InputError
from spark.compare.measure import rows_of_group
from spark.history import Timeline, lags_of, restless, seconds_between
from spark.settings.strategies import CURRENT
from spark.solve import TimeLimit
from tests.spark.fleet.test_clusters import fleet_of
from tests.support.fleets import Fleet, snapshot_of
from tests.support.histories import HOURS, random_history
from tests.support.rows import planned_alone, rows_of

FIVE, SIX, SEVEN = HOURS[5:8]


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A store with a cluster that isn't in the snapshot between."""
    store = tmp_path / "store"
    for snapshot, clusters in ((FIVE, "cd"), (SIX, "c"), (SEVEN, "cd")):
        fleet_of(*clusters).store(store, snapshot)
    return store


class TestRead:
    """What a store's history is of."""

    def test_each_cluster_has_the_snapshots_with_it(self, spark: SparkSession, three: Path) -> None:
        """Though one lacks optional columns; results are worked out once and freed."""
        (file,) = (three / "members" / f"snapshot={SIX}").glob("*.parquet")
        rows = pq.read_table(file)
        shutil.rmtree(three / ".evenfleet")
        pq.write_table(rows.drop_columns(["rack", "generation"]), file)
        with FleetHistory.read(spark, str(three)) as history:
            assert history.timeline.snapshots == {"c": [FIVE, SIX, SEVEN], "d": [FIVE, SEVEN]}
            assert history.snapshots == [FIVE, SIX, SEVEN]
            states, rebalances = history.states, history.rebalances
            assert history.states is states and history.rebalances is rebalances
            assert states.is_cached and rebalances.is_cached
            found = states.select("snapshot", "cluster").collect()
        assert not states.is_cached and not rebalances.is_cached
        assert sorted(map(tuple, found)) == [
            *((FIVE, "c"), (FIVE, "d"), (SIX, "c"), (SEVEN, "c"), (SEVEN, "d"))
        ]

    def test_since_is_an_id_or_a_length_of_time_and_until_is_an_id(
        self, spark: SparkSession, three: Path
    ) -> None:
        def read(since: str | timedelta | None, until: str | None = None) -> list[str]:
            return FleetHistory.read(spark, str(three), since, until).snapshots

        assert read(SIX) == [SIX, SEVEN]
        assert read(timedelta(hours=1)) == [SIX, SEVEN]
        assert read(None, SIX) == [FIVE, SIX]
        assert read(timedelta(minutes=59), SIX) == [SIX]
        with pytest.raises(InputError, match=f"whole ones it has end with {FIVE}, {SIX}, {SEVEN}"):
            read("20270101T000000Z")
        with pytest.raises(InputError, match="has no whole snapshot"):
            FleetHistory.read(spark, str(three / "members"))

    def test_what_is_not_whole_or_no_time_is_left_out_and_named(
        self, spark: SparkSession, three: Path
    ) -> None:
        shutil.rmtree(three / "members" / f"snapshot={SIX}")
        for table in three.glob("[!.]*"):
            shutil.copytree(table / f"snapshot={FIVE}", table / "snapshot=before-the-move")
        history = FleetHistory.read(spark, str(three))
        assert history.snapshots == [FIVE, SEVEN]
        assert [note for note in history.notes if "left out" in note or "Skipped" in note] == [
            f"Skipped: snapshot {SIX} isn't whole: it lacks members",
            "Skipped: snapshot before-the-move: its id isn't a time like 20261121T060000Z",
        ]

    def test_a_snapshot_with_null_keys_is_left_out_and_says_where(
        self, spark: SparkSession, three: Path
    ) -> None:
        shutil.rmtree(three / ".evenfleet")
        (file,) = (three / "members" / f"snapshot={SIX}").glob("*.parquet")
        rows = pq.read_table(file)
        pq.write_table(rows.set_column(1, "group", pa.nulls(1, pa.string())), file)
        history = FleetHistory.read(spark, str(three))
        assert history.snapshots == [FIVE, SEVEN]
        assert f"snapshot {SIX} is left out: it has null keys (members.group)" in history.notes
        assert history.tables["members"].where(f"snapshot = '{SIX}'").isEmpty()


class TestOf:
    """Histories of snapshots that are there already."""

    def test_it_is_the_history_of_these_in_order_of_time(self, spark: SparkSession) -> None:
        tables = fleet_of("c").tables()
        history = FleetHistory.of([snapshot_of(spark, tables, item) for item in (SIX, FIVE)])
        assert history.timeline.snapshots == {"c": [FIVE, SIX]}
        found = history.tables["members"].select("snapshot", "member_id").collect()
        assert sorted(map(tuple, found)) == [(FIVE, "m"), (SIX, "m")]

    def test_what_several_were_composed_of_counts_once(
        self, spark: SparkSession, three: Path
    ) -> None:
        shutil.rmtree(three / "members" / f"snapshot={SEVEN}")
        composed = FleetSnapshot.read(spark, str(three))
        assert composed.instants == {"c": SIX, "d": FIVE}
        first = FleetSnapshot.read(spark, str(three), FIVE)
        history = FleetHistory.of([first, composed])
        assert history.timeline.snapshots == {"c": [FIVE, SIX], "d": [FIVE]}
        assert history.tables["members"].count() == 3

    def test_none_and_two_of_one_id_are_told(self, spark: SparkSession) -> None:
        snapshot = snapshot_of(spark, fleet_of("c").tables(), FIVE)
        with pytest.raises(InputError, match="at least one snapshot"):
            FleetHistory.of([])
        with pytest.raises(InputError, match=f"two snapshots of the history have the id {FIVE}"):
            FleetHistory.of([snapshot, snapshot])


def test_states_are_what_a_comparison_says_and_a_part_has_the_changes_of_its_groups(
    spark: SparkSession, tmp_path: Path
) -> None:
    fleets = random_history(seed=1, groups=20, hours=4)
    for item, fleet in fleets.items():
        fleet.store(tmp_path, item)
    columns = ("cluster", "group", "status", "members", "partitions", "max_load", "min_load")
    columns = (*columns, "sum_squares", "excess")
    history = FleetHistory.read(spark, str(tmp_path))
    part = history.matching("d", "g00?")
    with history, part:
        states = history.states.select("snapshot", *columns).collect()
        of_all = history.changes.where("cluster = 'd' and group like 'g00_'").collect()
        of_part = part.changes.collect()
    with TimeLimit(60) as limit:
        current = [
            row
            for group in fleets[HOURS[3]].rows["groups"]
            for encoded in [rows_of(fleets[HOURS[3]], group["group"], group["cluster"])]
            for row in rows_of_group(planned_alone(encoded), [CURRENT], limit)
        ]
    expected = [(HOURS[3], *(getattr(row, name) for name in columns)) for row in current]
    found = [tuple(row) for row in states if row.snapshot == HOURS[3]]
    assert len(found) > 15
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert of_part
    assert sorted(map(str, of_part)) == sorted(map(str, of_all))
    assert part.timeline.snapshots.keys() == {"d"}


def test_lag_is_that_of_topics_that_are_read_or_of_all_where_nobody_is_there(
    spark: SparkSession,
) -> None:
    fleet = Fleet().topic("t", 1).topic("old", 1)
    fleet.group("read", {"a": ["t"]}, [("t", 0, "a")]).group("left", {}).group("too much", {})
    for topic, lag in (("t", 1), ("old", 2**63 - 1)):
        fleet.add("offsets", group="too much", topic=topic, partition=0, lag=lag)
    for group in ("read", "left"):
        for topic, lag in (("t", 5), ("old", 100)):
            fleet.add("offsets", group=group, topic=topic, partition=0, lag=lag)
    # while it rebalances, Kafka tells its members and nothing of what they read
    fleet.group("rebalancing", {"a": []}, state="PreparingRebalance")
    fleet.add("offsets", group="rebalancing", topic="t", partition=0, lag=477_978)
    fleet.group("reads no offset's topic", {"a": ["t"]}, [("t", 0, "a")])
    fleet.add("offsets", group="reads no offset's topic", topic="old", partition=0, lag=3)
    fleet.add("offsets", group="read", topic="t", partition=1, committed_offset=7, end_offset=4)
    fleet.add("offsets", group="read", topic="t", partition=2, committed_offset=-1, end_offset=9)
    for group, offset in (("unknown", None), ("never committed", -1)):
        fleet.group(group, {"a": ["t"]}, [("t", 0, "a")])
        offsets = {"committed_offset": offset, "end_offset": 4}
        fleet.add("offsets", group=group, topic="t", partition=0, **offsets)
    lags = {row.group: row.lag for row in lags_of(fleet.snapshot(spark).tables).collect()}
    assert lags == {
        **{"read": 5, "left": 105, "rebalancing": 477_978, "reads no offset's topic": None},
        **dict.fromkeys(("too much", "unknown", "never committed")),
    }


START, LAST_WEEK, NOW = "20261101T000000Z", "20261113T000000Z", "20261121T000000Z"


def test_rebalances_a_day_and_by_week(spark: SparkSession) -> None:
    snapshots = {
        "long": [START, LAST_WEEK, NOW],
        "some": [LAST_WEEK, "20261114T000000Z", NOW],
        "short": ["20261120T000000Z", NOW],
    }
    transition = "cluster string, `group` string, from_snapshot string, snapshot string"
    rebalances = spark.createDataFrame(
        [
            (cluster, "g", *row)
            for cluster in snapshots
            for row in (
                (START, LAST_WEEK, 10, 1.0, "join"),
                (LAST_WEEK, NOW, 30, 4.0, "join"),
            )
        ],
        f"{transition}, generations bigint, per_hour double, cause string",
    )
    changes = spark.createDataFrame(
        [("long", "g", START, NOW, 3, 2, 1)],
        f"{transition}, moves bigint, takeovers bigint, avoidable_moves bigint",
    )
    rows = {row.cluster: row for row in restless(changes, rebalances, snapshots).collect()}
    row = rows["long"]
    assert (row.rebalances, row.per_day, row.this_week, row.last_week) == (40, 2.0, 30, 10)
    assert rows["some"].this_week == 30
    assert (rows["short"].per_day, rows["short"].last_week) == (40.0, None)


HOUR = 3600


def test_what_is_seen_holds_until_the_next_snapshot_of_its_cluster() -> None:
    ids = ["20261121T000000Z", "20261121T010000Z", "20261121T030000Z"]
    timeline = Timeline({"c": ids, "d": ids[::2]})
    assert timeline.known_seconds("c", 0, 0) == HOUR
    assert timeline.known_seconds("c", 0, 1) == 3 * HOUR
    assert timeline.known_seconds("c", 2, 2) == 0
    assert timeline.known_seconds("d", 0, 1) == 3 * HOUR
    assert timeline.last("d") == 1


def test_of_a_week_without_a_look_one_day_is_known() -> None:
    ids = ["20261101T000000Z", "20261108T000000Z", "20261108T060000Z"]
    timeline = Timeline({"c": ids}, max_age=timedelta(hours=24))
    assert timeline.known_seconds("c", 0, 0) == 24 * HOUR
    assert timeline.known_seconds("c", 0, 2) == 30 * HOUR


def test_ids_that_are_no_times_have_nothing_between_them() -> None:
    assert seconds_between("20261121T000000Z", "20261121T000130Z") == 90
    with pytest.raises(ValueError, match="is no time"):
        seconds_between("before", "20261121T000130Z")
