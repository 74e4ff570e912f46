"""Workers have what they need from the process that they are forked from."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from pyspark.sql import SparkSession

from spark.startup.worker_daemon import DAEMON, MODULE, NEEDED, start_early, without_archives
from spark.terminal.session import settings_of


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
