"""Who rebalances: a day, and this week against the last one."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark.history import restless

START, LAST_WEEK, NOW = "20261101T000000Z", "20261113T000000Z", "20261121T000000Z"


def test_rebalances_a_day_and_by_week(spark: SparkSession) -> None:
    transition = "cluster string, `group` string, from_snapshot string, snapshot string"
    rebalances = spark.createDataFrame(
        [
            ("c", "g", START, LAST_WEEK, 10, 1.0, "join"),
            ("c", "g", LAST_WEEK, NOW, 30, 4.0, "join"),
        ],
        f"{transition}, generations bigint, per_hour double, cause string",
    )
    changes = spark.createDataFrame(
        [("c", "g", START, NOW, 3, 2, 1)],
        f"{transition}, moves bigint, takeovers bigint, avoidable_moves bigint",
    )
    (row,) = restless(changes, rebalances, {"c": [START, LAST_WEEK, NOW]}).collect()
    assert (row.generations, row.per_day, row.this_week, row.last_week) == (40, 2.0, 30, 10)
    (row,) = restless(changes, rebalances, {"c": [LAST_WEEK, "20261114T000000Z", NOW]}).collect()
    assert row.this_week == 30
    (row,) = restless(changes, rebalances, {"c": ["20261120T000000Z", NOW]}).collect()
    assert (row.per_day, row.last_week) == (40.0, None)
