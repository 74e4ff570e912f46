"""The session of a command: notebooks bring their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

LOCAL_DEFAULTS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

DEFAULTS = {
    "spark.app.name": "evenfleet",
    "spark.sql.session.timeZone": "UTC",
    # Rows are groups with arrays: few of them fill a batch, and fewer need less memory.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
}


@contextmanager
def session(master: str | None, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session for one command, stopped when the command ends.

    Under spark-submit the master is that of the submission; otherwise it is `master` or, by
    default, all cores of this machine. `conf` comes last and wins.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {**DEFAULTS, "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if not _submitted():
        settings["spark.master"] = master or "local[*]"
        settings["spark.log.level"] = "ERROR"
    if settings.get("spark.master", "").startswith("local"):
        settings |= LOCAL_DEFAULTS | _sized_to_this_machine()
    builder = SparkSession.builder
    for key, value in (settings | dict(conf)).items():
        builder = builder.config(key, value)
    started = builder.getOrCreate()
    try:
        yield started
    finally:
        started.stop()


def _submitted() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _sized_to_this_machine() -> dict[str, str]:
    """Half of the memory for the JVM: the Python workers need theirs."""
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    return {
        "spark.driver.memory": f"{max(1, gibibytes // 2)}g",
        "spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1)),
    }
