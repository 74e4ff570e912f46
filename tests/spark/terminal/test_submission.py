"""The commands under spark-submit, of pip's PySpark."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from spark.fleet import write_store
from spark.startup.quick_start import StoreSize, java_options
from tests.paths import ROOT
from tests.support.fleets import SNAPSHOT
from tests.support.small import EARLIER, small
from tests.support.terminal import tables_of

pytestmark = pytest.mark.ends

SUBMIT = Path(pyspark.__file__).parent / "bin/spark-submit"

SOON = ("--driver-java-options", " ".join(java_options(StoreSize.SMALL)))
"""Java starts from the archive of classes, as it does for commands without spark-submit."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """One whole snapshot, and one that isn't, of which a sentence tells."""
    small().store(tmp_path / "store")
    write_store({"members": small().tables()["members"]}, tmp_path / "store", EARLIER)
    return tmp_path / "store"


def submit(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SUBMIT, "--master", "local[2]", *SOON, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_result_alone_is_on_standard_output(store: Path) -> None:
    """And sentences on standard error, without Spark's log."""
    output = submit(ROOT / "bin/spark_job.py", "snapshots", store, "--format", "json")
    assert output.returncode == 0
    assert {row["snapshot"] for row in tables_of(output)["snapshots"]} == {
        SNAPSHOT,
        EARLIER,
    }
    assert output.stderr.endswith(f"Skipped because they are incomplete: {EARLIER}.\n")
    assert len(output.stderr) < 5_000


def test_the_log_is_there_for_whoever_wants_it(store: Path) -> None:
    """Also beside bad input, which is told as ever."""
    level = ("--conf", "spark.log.level=INFO")
    output = submit(
        *level, ROOT / "bin/spark_job.py", "plan", store / "none", "--out", store.parent
    )
    assert (output.returncode, output.stdout) == (2, "")
    assert f"no folder {store / 'none'}: import or write one first" in output.stderr
    assert output.stderr.count(" INFO ") > 50
