"""Runs a command, and writes where its time went: `cold_phases.py REPORT WORDS…`.

`cold_commands` tells what the phases are.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

STARTED = time.perf_counter()

PHASES = ("imports", "JVM", "session", "reading", "planning", "running", "writing", "ending")


class Phases:
    """Seconds by phase of the main thread; a phase within another one stops that one's clock."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._since = STARTED
        self._now = ["imports"]

    def change(self, entered: str | None) -> None:
        """Enter a phase, or leave the one that is on."""
        moment = time.perf_counter()
        self.seconds[self._now[-1]] += moment - self._since
        self._since = moment
        if entered:
            self._now.append(entered)
        else:
            self._now.pop()

    def of(self, owner: Any, name: str, phase: str) -> None:
        """Let all calls of a function count for a phase."""
        original: Callable[..., Any] = getattr(owner, name)

        def counted(*args: Any, **named: Any) -> Any:
            if current_thread() is not main_thread():
                return original(*args, **named)
            # what is run in order to write is writing
            self.change("writing" if "writing" in self._now else phase)
            try:
                return original(*args, **named)
            finally:
                self.change(None)

        setattr(owner, name, counted)


def main() -> None:
    report, *words = sys.argv[1:]
    phases = Phases()
    asked: dict[str, Any] = {}
    sys.argv = ["evenfleet", *words]

    from pyspark.sql.classic.dataframe import DataFrame  # noqa: PLC0415 - it is what is timed

    from spark import cli  # noqa: PLC0415
    from spark.files import tables  # noqa: PLC0415
    from spark.fleet import FleetSnapshot  # noqa: PLC0415
    from spark.terminal import java_process, session  # noqa: PLC0415

    phases.of(java_process, "launch", "JVM")
    phases.of(session, "_started", "session")
    phases.of(FleetSnapshot, "validate", "reading")
    for name in ("read", "compose"):
        phases.of(FleetSnapshot, name, "reading")
        setattr(FleetSnapshot, name, staticmethod(getattr(FleetSnapshot, name)))
    for name in ("collect", "count", "toPandas", "toArrow", "isEmpty", "first"):
        phases.of(DataFrame, name, "running")
    for module in list(sys.modules.values()):  # wherever it was imported to by its name
        if getattr(module, "write_tables", None) is tables.write_tables and module is not tables:
            phases.of(module, "write_tables", "writing")
    stop = session._stop

    def stopped(spark: Any) -> None:
        with suppress(Exception):
            asked.update(asked_of_spark(spark))
        stop(spark)

    session._stop = stopped
    phases.of(session, "_stop", "ending")
    phases.change("planning")
    try:
        cli.main()
    finally:
        phases.change(None)
        seconds = {name: round(phases.seconds[name], 2) for name in PHASES}
        Path(report).write_text(json.dumps(seconds | asked), encoding="utf-8")


def asked_of_spark(spark: Any) -> dict[str, Any]:
    """What the session has done: jobs, stages, tasks, compiled classes, seconds in its rules.

    Tables that are opened in several threads count their rules' seconds several times.
    """
    java, context = spark.sparkContext._jvm, spark.sparkContext._jsc.sc()
    jobs = context.statusStore().jobsList(None)
    done = [jobs.apply(at) for at in range(jobs.size())]
    codegen = java.org.apache.spark.metrics.source.CodegenMetrics
    rules = java.org.apache.spark.sql.catalyst.rules.RuleExecutor.getCurrentMetrics()
    return {
        "jobs": len(done),
        "stages": sum(job.numCompletedStages() for job in done),
        "tasks": sum(job.numCompletedTasks() for job in done),
        "compiled": codegen.METRIC_COMPILATION_TIME().getCount(),
        "rules_run": rules.numRuns(),
        "rules_s": round(rules.time() / 1e9, 2),
    }


if __name__ == "__main__":
    main()
