"""The session of a command: notebooks bring their own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from spark.errors import InputError, first_line

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")

LOCAL_DEFAULTS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

DEFAULTS = {
    "spark.app.name": "evenfleet",
    "spark.sql.session.timeZone": "UTC",
    # Rows are groups with arrays: few of them fill a batch, and fewer need less memory.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "256",
    # One plan takes a hundred generated classes, all that Spark keeps by default.
    "spark.sql.codegen.cache.maxEntries": "1000",
    # Where a column was made is asked of the JVM for each of them; no message here tells it.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}

_MASTER = re.compile(r"local(-cluster)?(\[.+\])?|yarn|(spark|k8s)://.+")


@contextmanager
def session(master: str | None, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session for one command, stopped when the command ends.

    Under spark-submit the master is that of the submission; otherwise it is `master` or, by
    default, all cores of this machine. `conf` comes last and wins. InputError if Spark doesn't
    start with these.
    """
    if master and not _MASTER.fullmatch(master):
        raise InputError(
            f"{master!r} is no master of Spark's: it is local[N], spark://HOST:PORT, yarn or k8s://…"
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {**DEFAULTS, "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    if not _submitted():
        settings["spark.master"] = master or "local[*]"
        settings["spark.driver.extraJavaOptions"] = (
            f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"
        )
    if settings.get("spark.master", "").startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings |= LOCAL_DEFAULTS | _sized_to_this_machine()
    started = _started(settings | dict(conf))
    try:
        yield started
    finally:
        started.stop()


def _started(settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        started = builder.getOrCreate()
        for key in settings:
            started.conf.get(key)  # a wrong value shows when it is used
    except Exception as error:
        raise InputError(
            f"Spark doesn't start: {first_line(error)} Look at --master, --conf and the "
            "configuration file, and whether Java is 17 or newer"
        ) from None
    return started


def _submitted() -> bool:
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _sized_to_this_machine() -> dict[str, str]:
    """Half of the memory for the JVM, for the Python workers need theirs; two tasks a core.

    Each task more reads its plan anew, which takes longer than its share of a small fleet.
    """
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    return {
        "spark.driver.memory": f"{max(1, gibibytes // 2)}g",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
    }
