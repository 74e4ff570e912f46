"""Strategies over many snapshots at once."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from optimizer import Goals
from spark import FleetHistory, FleetSnapshot, InputError, compare_fleet
from spark.compare import compare_history
from spark.fleet.local_store import write_store
from tests.support.histories import HOURS, random_history

STRATEGIES = ("current", "range", "optimal")


def rows_of(compared: DataFrame, columns: list[str]) -> list[tuple[object, ...]]:
    return sorted(map(tuple, compared.select(*columns).collect()), key=str)


def scans_of(compared: DataFrame, capsys: pytest.CaptureFixture[str]) -> int:
    """How often Spark's plan reads files."""
    capsys.readouterr()
    compared.explain()
    return capsys.readouterr().out.count("FileScan")


@pytest.mark.wide
def test_each_snapshot_has_the_rows_that_it_has_alone_by_one_plan(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan for two snapshots reads files as often as that for five."""
    for snapshot, fleet in random_history(seed=4, groups=5, hours=5).items():
        write_store(fleet.tables(), tmp_path, snapshot)
    with (
        FleetHistory.read(spark, str(tmp_path)) as history,
        FleetHistory.read(spark, str(tmp_path), HOURS[3]) as late,
    ):
        compared = compare_history(history, STRATEGIES)
        columns = [name for name in compared.columns if name not in ("snapshot", "seconds")]
        alone = compare_fleet(FleetSnapshot.read(spark, str(tmp_path), HOURS[1]), STRATEGIES)
        rows = rows_of(compared.where(f"snapshot = '{HOURS[1]}'"), columns)
        assert rows == rows_of(alone, columns) != []
        few, all_of_them = compare_history(late, STRATEGIES), scans_of(compared, capsys)
        assert all_of_them == scans_of(few, capsys) > 0
        with pytest.raises(InputError, match="goals by weight can't be compared over a history"):
            compare_history(history, STRATEGIES, goals=Goals(balance="weight"))
