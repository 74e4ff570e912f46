"""Which stores are small."""

import fcntl
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory
from spark.fleet import write_store
from spark.startup import class_archive
from spark.startup.quick_start import MEDIUM_TOGETHER, SMALL, SMALL_TOGETHER, StoreSize, size_of
from spark.terminal.next_step import PROGRAM
from tests.support.small import small


def test_many_small_snapshots_are_much_together(tmp_path: Path) -> None:
    """A third of what one snapshot may have: 8 MB, in files that take no space."""
    store = str(tmp_path)
    for snapshot in range(3):
        file = _file_of(tmp_path, SMALL_TOGETHER // 2, snapshot)
        together = StoreSize.SMALL if snapshot < 2 else StoreSize.MEDIUM
        assert (size_of(store), size_of(store, many=True)) == (StoreSize.SMALL, together)
    with file.with_name("more.parquet").open("wb") as more:
        more.truncate(SMALL)
    assert (size_of(store), size_of(store, many=True)) == (StoreSize.LARGE, StoreSize.MEDIUM)
    _file_of(tmp_path, MEDIUM_TOGETHER - SMALL, 3)
    assert size_of(store, many=True) is StoreSize.LARGE


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


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Which archives were made, in a folder of their own, by a Java that says nothing."""
    (java := tmp_path / "bin/java").parent.mkdir()
    java.touch()
    made: list[Path] = []
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr(class_archive, "CLASSES", tmp_path / "classes.jsa")
    monkeypatch.setattr(class_archive, "MADE_FOR", tmp_path / "classes.made-for")
    monkeypatch.setattr(class_archive, "_make", lambda: made.append(java))
    return made


def test_the_archive_is_begun_by_bin_evenfleet_alone_and_not_waited_for(
    archive: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(class_archive, "Popen", lambda words, **_: begun.append(words))
    monkeypatch.delenv(PROGRAM, raising=False)
    class_archive.make_in_background()
    assert begun == []
    monkeypatch.setenv(PROGRAM, "bin/evenfleet")
    class_archive.make_in_background()
    assert begun == [["nice", sys.executable, "-m", "spark.startup.class_archive"]]
    assert class_archive.main() == 1  # it is noted, though no archive came of it
    class_archive.make_in_background()
    assert (len(begun), len(archive)) == (1, 1)


def test_the_archive_is_made_once_for_each_java_and_by_one_process(archive: list[Path]) -> None:
    lock = class_archive.MADE_FOR.with_suffix(".lock")
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        class_archive.main()
    assert archive == []
    for _ in range(2):
        class_archive.main()
    assert len(archive) == 1
    os.utime(archive[0], (1, 1))  # another Java
    class_archive.main()
    assert len(archive) == 2


def _file_of(store: Path, size: int, snapshot: int) -> Path:
    folder = store / "members" / f"snapshot={snapshot}"
    folder.mkdir(parents=True)
    file = folder / "part.parquet"
    with file.open("wb") as written:
        written.truncate(size)
    return file
