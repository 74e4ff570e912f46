"""Results that were written before columns and a status got the names of 0.1.0."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark.files import StoredTable
from spark.fleet.results import with_new_names


def test_old_columns_and_statuses_are_read_under_new_names(spark: SparkSession) -> None:
    """What a column holds stays, and a note says which names were replaced."""
    columns = "group string, status string, found_max_load long, fewest_found long, afresh long"
    old = [("a", "ok", 3, 1, 0), ("b", "foreign", None, None, 2), ("c", None, None, None, None)]
    table = with_new_names(StoredTable(spark.createDataFrame(old, columns), ("earlier",)))
    assert table.rows.columns == ["group", "status", "current_max_load", "fewest_found", "resets"]
    assert [tuple(row) for row in table.rows.orderBy("group").collect()] == [
        ("a", "ok", 3, 1, 0),
        ("b", "unsupported", None, None, 2),
        ("c", None, None, None, None),
    ]
    assert table.notes == (
        "earlier",
        "an older version wrote this result: its columns are read under new names "
        "(afresh as resets, found_max_load as current_max_load)",
    )


def test_todays_names_stay(spark: SparkSession) -> None:
    """Nothing is renamed and nothing noted."""
    rows = spark.createDataFrame([("foreign", 1)], "status string, current_max_load long")
    table = StoredTable(rows, ())
    assert with_new_names(table) is table
