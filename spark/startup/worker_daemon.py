"""The process that Spark forks its Python workers from: what all of them need is imported once.

Spark has workers import PySpark from an archive, whose sources Python compiles each time and whose
list of files it reads again for each task. The same PySpark is installed, and compiled there.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAEMON = "spark.python.daemon.module"

MODULE = "spark.startup.worker_daemon"
"""The value to set it to, where workers run on this machine."""

NEEDED = (  # polars isn't: it takes 370 MB of addresses, and only few commands need it
    *("pyspark.worker", "pyarrow", "pandas"),
    *("ortools.graph.python.min_cost_flow", "optimizer.solver", "spark.groups"),
)


def start_early(session: SparkSession) -> Thread:
    """Let Spark start this process now, while it has no other use for a core.

    The thread that is returned waits for it.
    """

    def run() -> None:
        with suppress(Exception):  # whoever needs workers will see what is wrong
            session.range(0, 1, 1, 1).mapInArrow(lambda batches: batches, "id long").collect()

    thread = Thread(target=run, daemon=True)
    thread.start()
    return thread


def without_archives(path: list[str]) -> list[str]:
    """The places that modules come from, without archives if PySpark is in a folder as well."""
    folders = [place for place in path if not place.endswith((".zip", ".jar"))]
    is_installed = any((Path(place) / "pyspark" / "worker.py").is_file() for place in folders)
    return folders if is_installed else path


if __name__ == "__main__":
    sys.path[:] = without_archives(sys.path)
    # Arrow's own takes a gigabyte of addresses, which are what spark.executor.pyspark.memory limits
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    for name in NEEDED:
        import_module(name)
    import_module("pyspark.daemon").manager()
