"""What a command is doing and how far it is."""

import threading
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from spark.terminal import busy, console, progress as shared
from spark.terminal.progress import follow, progress
from tests.support.said import Run

PATIENCE = 60  # seconds, for a busy machine


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """What a terminal shows."""
    shown = StringIO()
    terminal = Console(file=shown, force_terminal=True, width=80, highlight=False)
    monkeypatch.setattr(console, "ERR", terminal)
    return shown


def test_a_terminal_shows_what_is_done_and_how_far_it_is(screen: StringIO) -> None:
    with busy("simulating") as step:
        for seed in step.track(range(3), "seeds"):
            while f"simulating: {seed} of 3 seeds" not in screen.getvalue():
                time.sleep(0.01)
    assert screen.getvalue().endswith("\x1b[2K")  # the line is gone
    with busy("replaying"):  # steps within steps are one line
        with busy("reading"):
            assert shared._progress.line() == "reading"
        assert shared._progress.line() == "replaying"


@pytest.mark.parametrize("shown", [True, False])
def test_nothing_is_shown_where_nobody_looks(
    shown: bool, screen: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal if that isn't wanted, and in a pipe at any rate."""
    pipe = StringIO()
    if shown:
        monkeypatch.setattr(console, "ERR", Console(file=pipe, force_terminal=False))
    with progress(shown, logged=False), busy("planning"):
        pass
    assert screen.getvalue() == pipe.getvalue() == ""


@pytest.mark.alone  # tasks of other tests would be counted, and wait for these
def test_tasks_of_spark_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    """While they run, from another thread than the one that waits for them."""
    go = tmp_path / "go"

    def wait(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        yield from batches
        while not go.exists():
            time.sleep(0.01)

    rows = spark.range(0, 3, 1, 3).mapInPandas(wait, "id long")
    job = threading.Thread(target=rows.count)
    with follow(spark), busy("planning"):
        job.start()
        until = time.monotonic() + PATIENCE
        try:
            while "planning: 0 tasks done" not in (line := shared._progress.line()):
                assert time.monotonic() < until, line
        finally:  # or no other task would ever run
            go.touch()
            job.join()
        while not (line := shared._progress.line()).startswith(("planning: 3 t", "planning: 4 t")):
            assert time.monotonic() < until, line  # the last stage, of one task, may end unseen
    with follow(spark), busy("planning"):
        assert "tasks" not in shared._progress.line()


def test_jobs_are_called_by_their_step(spark: SparkSession) -> None:
    context = spark.sparkContext
    context.setJobDescription("before")
    with follow(spark), busy("planning"):
        assert context.getLocalProperty("spark.job.description") == "evenfleet: planning"
    assert context.getLocalProperty("spark.job.description") == "before"


def test_steps_are_told_with_their_times_and_whoever_wants_quiet_has_it(
    run: Run, store: Path
) -> None:
    explain = ("explain", store, "--group")
    text = run(*explain, "g", "-v").err
    assert "reading the snapshot: 0." in text
    assert "planning group g: 0." in text
    assert " of 1 cluster." in run(*explain, "g").err
    assert run(*explain, "g", "--quiet") == (0, "", "")
    wrong = run(*explain, "unknown", "--quiet")
    assert (wrong.code, "unknown" in wrong.err) == (2, True)
    both = run(*explain, "g", "--quiet", "-v")
    assert (both.code, both.out) == (2, "")
    assert "--quiet and --verbose contradict each other" in both.err
