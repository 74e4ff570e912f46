"""What makes a command start soon."""

import fcntl
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
import pytest
from py4j.clientserver import JavaClient
from pyspark.sql import SparkSession, functions as F

from spark import FleetHistory
from spark.startup import class_archive
from spark.startup.quick_start import MEDIUM_TOGETHER, SMALL, SMALL_TOGETHER, StoreSize, size_of
from spark.startup.worker_daemon import DAEMON, MODULE, NEEDED, start_early, without_archives
from spark.terminal.next_step import PROGRAM
from spark.terminal.session import settings_of
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
        small().store(tmp_path / "store", snapshot)
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


LOOKUP = "r\n"
"""How Py4J's calls begin that look for a class or a member of one."""


def test_a_name_is_looked_up_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    _ = F.col("id") + F.lit(1)
    sent = []
    send = JavaClient.send_command

    def noted(client: JavaClient, command: str, *args: object, **named: object) -> object:
        sent.append(command)
        return send(client, command, *args, **named)

    monkeypatch.setattr(JavaClient, "send_command", noted)
    rows = spark.range(3).select((F.col("id") + F.lit(1)).alias("more")).collect()
    assert [row.more for row in rows] == [1, 2, 3]
    assert not [
        command for command in sent if command.startswith(LOOKUP) and "functions" in command
    ]
    assert len(sent) > 3


def test_a_worker_has_all_it_needs_before_its_task_asks(spark: SparkSession) -> None:
    def loaded(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        texts = [*sys.path, *(name for name in NEEDED if name in sys.modules)]
        yield pa.record_batch([pa.array(texts)], names=["text"])

    texts = [
        row.text for row in spark.range(0, 1, 1, 1).mapInArrow(loaded, "text string").collect()
    ]
    assert set(NEEDED) <= {*texts}
    installed = str(Path(pyspark.__file__).parent.parent)
    assert installed in texts
    of_spark = [text for text in texts if text.endswith("/lib/pyspark.zip")]
    assert not of_spark or texts.index(installed) < texts.index(of_spark[0])


def test_archives_stay_where_no_other_pyspark_is(tmp_path: Path) -> None:
    zips = ["/opt/spark/python/lib/pyspark.zip", "/opt/spark/jars/spark-core.jar"]
    assert without_archives([*zips, str(tmp_path)]) == [*zips, str(tmp_path)]
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "worker.py").touch()
    assert without_archives([*zips, str(tmp_path)]) == [str(tmp_path)]


def test_commands_have_it_where_workers_run_on_this_machine() -> None:
    assert settings_of(None, {})[DAEMON] == MODULE
    assert settings_of("local[3]", {})[DAEMON] == MODULE
    assert DAEMON not in settings_of("spark://host:7077", {})
    assert settings_of(None, {DAEMON: "pyspark.daemon"})[DAEMON] == "pyspark.daemon"


@pytest.mark.filterwarnings("error")
def test_a_session_that_ends_meanwhile_is_no_error(spark: SparkSession) -> None:
    class Ended:
        def range(self, *_: int) -> None:
            raise ConnectionError("the session has ended")

    start_early(Ended()).join()  # type: ignore[arg-type]
