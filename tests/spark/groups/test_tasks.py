"""How many tasks a fleet is solved in: as the session is told, or as the fleet is large."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession, functions as F

from spark.groups import encode, tasks
from tests.support.fleets import Fleet

NUMBER = "spark.sql.shuffle.partitions"


@pytest.fixture
def untold(spark: SparkSession) -> Iterator[None]:
    """As a notebook's session that nobody has told a number."""
    before = spark.conf.get(NUMBER)
    spark.conf.unset(NUMBER)
    yield
    spark.conf.set(NUMBER, before)


def fleet(groups: int) -> Fleet:
    """Two claims and two subscriptions a group."""
    made = Fleet().topic("t", 2)
    for group in range(groups):
        owned = [("t", 0, "a"), ("t", 1, "b")]
        made.group(f"g{group}", {"a": ["t"], "b": ["t"]}, owned)
    return made


def test_a_number_that_the_session_is_told_holds(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "ROWS_A_TASK", 1)
    assert spark.conf.get(NUMBER) == "1"
    assert tasks.tasks_for(fleet(3).snapshot(spark).tables) == 1


@pytest.mark.usefixtures("untold")
def test_a_small_fleet_takes_few(spark: SparkSession) -> None:
    """Spark's own default are 200, of which each starts anew."""
    snapshot = fleet(40).snapshot(spark)
    assert tasks.tasks_for(snapshot.tables) == 4
    of_rows = encode(snapshot).select(F.spark_partition_id().alias("task")).distinct()
    assert sorted(row.task for row in of_rows.collect()) == [0, 1, 2, 3]


@pytest.mark.usefixtures("untold")
def test_a_larger_one_takes_more_and_never_more_than_by_default(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "ROWS_A_TASK", 2)
    assert tasks.tasks_for(fleet(7).snapshot(spark).tables) == 14
    assert tasks.tasks_for(fleet(101).snapshot(spark).tables) == 200


@pytest.mark.usefixtures("untold")
def test_the_session_is_told_nothing(spark: SparkSession) -> None:
    encode(fleet(2).snapshot(spark)).collect()
    assert spark.conf.get(NUMBER, None) is None
