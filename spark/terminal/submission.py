"""Under spark-submit: the Java process is there first, and has our standard error.

It reads what we write on standard output and on standard error through one pipe, and writes both
on its standard output: sentences would stand in the middle of the JSON.
"""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from pyspark import SparkConf, SparkContext


def submitted() -> bool:
    """Whether spark-submit runs us, which has started the Java process and chosen the master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def submission() -> dict[str, str]:
    """Spark's settings as the submission states them."""
    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())


@contextmanager
def sentences_apart() -> Iterator[None]:
    """Let the Java process write our sentences on its standard error, where there is one."""
    ours = sys.stderr
    if submitted():
        sys.stderr = _JavasStandardError(ours)
    try:
        yield
    finally:
        sys.stderr = ours


class _JavasStandardError(io.TextIOBase):
    def __init__(self, ours: TextIO) -> None:
        self._ours = ours

    def write(self, text: str) -> int:
        try:
            SparkContext._ensure_initialized()
            java: Any = SparkContext._jvm
            java.java.lang.System.err.print(text)
        except Exception:  # it is gone, and the pipe is all there is
            self._ours.write(text)
        return len(text)
