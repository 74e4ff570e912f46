"""Who rebalances, a day and by week; and how long what was seen may be taken to have held."""

from datetime import timedelta

import pytest
from pyspark.sql import SparkSession

from spark.history import Timeline, restless, seconds_between

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
    assert (row.generations, row.per_day, row.this_week, row.last_week) == (40, 2.0, 30, 10)
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
