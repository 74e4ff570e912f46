"""A worker that ends before its task does: one sentence, and an exit code."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.terminal import doomed
from tests.support.said import Run, is_one_line


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        (doomed.memory_of_a_worker, "a Python worker ran out of memory: leave the workers more"),
        (doomed.worker_that_is_killed, "a Python worker was killed or crashed, each time that its"),
    ],
)
def test_the_end_of_a_worker_is_told(
    in_session: Run,
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    tmp_path: Path,
    end: Callable[[SparkSession], None],
    sentence: str,
) -> None:
    monkeypatch.setattr("spark.jobs.plan.check_out", lambda session, *_: end(session))
    output = in_session("plan", store, "--out", tmp_path / "o")
    assert (output.code, is_one_line(output)) == (3, True)
    assert sentence in output.err
