"""Who rebalances: a day, and this week against the last one."""

from pyspark.sql import SparkSession

from spark.history import restless

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
