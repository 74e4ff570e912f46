"""What ends a process of Spark's. Run as a script, this is the command line.

There `plan` takes more memory than Java has.
"""

import os
import signal
from collections.abc import Iterator
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


if __name__ == "__main__":
    with patch("spark.jobs.plan.check_out", lambda session, *_: memory_of_java(session)):
        main()
