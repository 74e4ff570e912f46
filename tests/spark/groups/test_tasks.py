"""How many tasks a fleet is solved in: as the session is told, or as the fleet is large."""

from collections.abc import Iterator
from importlib import import_module

import pytest
from pyspark.sql import SparkSession, functions as F

from spark.groups import encode, tasks_for_rows
from tests.support.fleets import Fleet

NUMBER = "spark.sql.shuffle.partitions"


@pytest.fixture
def untold(spark: SparkSession) -> Iterator[None]:
    """As a notebook's session that nobody has told a number."""
    before = spark.conf.get(NUMBER)
    spark.conf.unset(NUMBER)
    yield
    assert spark.conf.get(NUMBER, None) is None
    spark.conf.set(NUMBER, before)


def test_a_number_that_the_session_is_told_holds(spark: SparkSession) -> None:
    assert spark.conf.get(NUMBER) == "1"
    assert tasks_for_rows(spark, lambda: 10**9) == 1


@pytest.mark.usefixtures("untold")
def test_few_for_a_small_fleet_and_never_more_than_by_default(spark: SparkSession) -> None:
    """Spark's own default are 200, of which each starts anew."""
    numbers = {0: 4, 80_000: 4, 80_001: 5, 4_000_000: 200, 10**9: 200}
    assert {rows: tasks_for_rows(spark, lambda rows=rows: rows) for rows in numbers} == numbers


@pytest.mark.usefixtures("untold")
def test_claims_and_subscriptions_count(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("spark.groups.encode"), "ROWS_A_TASK", 24)
    fleet = Fleet().topic("t", 2)
    for group in range(40):
        fleet.group(f"g{group}", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    of_rows = encode(fleet.snapshot(spark)).select(F.spark_partition_id().alias("task")).distinct()
    assert sorted(row.task for row in of_rows.collect()) == [0, 1, 2, 3, 4]
