"""`doomed.py HOW plan …`: the command line, but what plans ends as HOW tells. Tests run it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pandas as pd
from pyspark.sql import SparkSession

from spark.cli import main


def memory_of_java(session: SparkSession) -> None:
    """More than the smallest heap holds, in a task."""
    session.sql("select length(repeat(cast(id as string), 1000000000)) from range(1)").collect()


def memory_of_a_worker(session: SparkSession) -> None:
    def greedy(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        bytes(2**62)
        yield from frames

    session.range(1).mapInPandas(greedy, "id long").collect()


def worker_that_is_killed(session: SparkSession) -> None:
    def killed(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield from frames

    session.range(1).mapInPandas(killed, "id long").collect()


HOW = (memory_of_java, memory_of_a_worker, worker_that_is_killed)

if __name__ == "__main__":
    end = {item.__name__: item for item in HOW}[sys.argv.pop(1)]

    def plan(session: SparkSession, *_: Any) -> None:
        end(session)

    with patch("spark.jobs.plan.check_out", plan):
        main()
