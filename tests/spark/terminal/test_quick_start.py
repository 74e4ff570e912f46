"""Which stores are small."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from pyspark.sql import SparkSession

from spark import FleetHistory
from spark.fleet import write_store
from spark.terminal.quick_start import MEDIUM_TOGETHER, SMALL, SMALL_TOGETHER, Size, size_of
from tests.support.small import small


def test_many_small_snapshots_are_much_together(tmp_path: Path) -> None:
    """A third of what one snapshot may have: 8 MB, in files that take no space."""
    store = str(tmp_path)
    for snapshot in range(3):
        file = _file_of(tmp_path, SMALL_TOGETHER // 2, snapshot)
        together = Size.SMALL if snapshot < 2 else Size.MEDIUM
        assert (size_of(store), size_of(store, many=True)) == (Size.SMALL, together)
    with file.with_name("more.parquet").open("wb") as more:
        more.truncate(SMALL)
    assert (size_of(store), size_of(store, many=True)) == (Size.LARGE, Size.MEDIUM)
    _file_of(tmp_path, MEDIUM_TOGETHER - SMALL, 3)
    assert size_of(store, many=True) is Size.LARGE


def test_many_snapshots_are_opened_without_a_job(spark: SparkSession, tmp_path: Path) -> None:
    """Spark would list the folders of more than 32 by a task each."""
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    for hour in range(33):
        snapshot = f"{noon + timedelta(hours=hour):%Y%m%dT%H%M%SZ}"
        write_store(small().tables(), tmp_path / "store", snapshot)
    context = spark.sparkContext
    context.setJobGroup("opened", "a history")
    try:
        assert len(FleetHistory.read(spark, str(tmp_path / "store")).snapshots) == 33
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    assert [*context.statusTracker().getJobIdsForGroup("opened")] == []


def _file_of(store: Path, size: int, snapshot: int) -> Path:
    folder = store / "members" / f"snapshot={snapshot}"
    folder.mkdir(parents=True)
    file = folder / "part.parquet"
    with file.open("wb") as written:
        written.truncate(size)
    return file
