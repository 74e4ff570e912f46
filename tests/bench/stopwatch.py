"""What benchmarks share: options, times of jobs, a yardstick, a table, and a file of figures."""

import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions as F

from optimizer.model import Reals
from spark import FleetSnapshot, plan_fleet
from spark.fleet.local_store import write_store
from spark.store import write_tables
from spark.terminal.session import session

SNAPSHOT = "20261121T060000Z"
KEYS = ("cluster", "group")

SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux: a process that a command leaves behind becomes our child."""

Row = dict[str, Any]
"""A line of the table: `what` names a job, `processor_s` is what the baseline holds."""

Jobs = dict[str, Callable[[], Row | None]]
"""The jobs of a fleet by name, the one that others are compared with first.

What a job returns are more columns of its row.
"""


class Stopwatch:
    """How long each job took: wall time, and time on processors of Spark and its workers.

    Wall time suffers from whatever else the machine does; the processors' time hardly does.
    """

    def __init__(self) -> None:
        self._times: dict[str, list[tuple[float, float]]] = {}

    @contextmanager
    def __call__(self, job: str) -> Iterator[None]:
        started, used = time.perf_counter(), _processor_seconds()
        yield
        took = (time.perf_counter() - started, _processor_seconds() - used)
        self._times.setdefault(job, []).append(took)

    def rows(self, **facts: Any) -> Iterator[Row]:
        """A row a job, with medians, and how many times the first job's processor time it took."""
        first = 0.0
        for job, times in self._times.items():
            wall, processor = map(statistics.median, zip(*times, strict=True))
            first = first or processor
            row = {**facts, "what": job, "wall_s": round(wall, 2)}
            times_first = round(processor / first, 2) if first else None
            yield row | {"processor_s": round(processor, 2), "times_first": times_first}


def bench(
    description: str | None, rows: Callable[[argparse.Namespace], Iterable[Row]], **options: Any
) -> None:
    """Read options, print the rows of a benchmark as they come, and write them to a file."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, settings in options.items():
        parser.add_argument(f"--{name}", **settings)
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the figures")
    inputs = parser.parse_args()
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    before, made = yardstick(), []
    for row in rows(inputs):
        if not made or list(row) != list(made[-1]):
            _print_cells(row, row)
        _print_cells(row, row.values())
        made.append(row)
    if inputs.json:
        figures = {"yardstick_s": (before + yardstick()) / 2, "rows": made}
        inputs.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")


def fleet_bench(
    description: str | None,
    jobs_of: Callable[[SparkSession, Path, int, argparse.Namespace], Jobs],
    sizes: tuple[int, ...] = (20_000,),
    runs: int = 3,
    conf: Mapping[str, str] | None = None,
    **options: Any,
) -> None:
    """Time jobs in turns in one session, on a fleet of each size.

    `jobs_of` gets the session, a folder to write to, the number of groups and the options.
    """

    def rows(inputs: argparse.Namespace) -> Iterator[Row]:
        settings = {"spark.ui.enabled": "false", **(conf or {})}
        with (
            tempfile.TemporaryDirectory(prefix="evenfleet-bench-") as folder,
            session(inputs.master, settings) as spark,
        ):
            for groups in inputs.groups or sizes:
                jobs = jobs_of(spark, Path(folder) / str(groups), groups, inputs)
                timed, facts = Stopwatch(), {job: run() or {} for job, run in jobs.items()}
                for _ in range(inputs.runs):
                    for job, run in jobs.items():
                        before = _work_of(spark)
                        with timed(job):
                            facts[job] = run() or {}
                        tasks, shuffled = _work_of(spark) - before
                        facts[job] |= {"tasks": int(tasks), "shuffle_mb": round(shuffled, 1)}
                yield from (row | facts[row["what"]] for row in timed.rows(groups=groups))

    shared = {
        "groups": {"type": int, "action": "append", "help": "groups of a fleet; repeatable"},
        "runs": {"type": int, "default": runs, "help": "counted runs, after one that is not"},
        "master": {"default": "local[2]", "help": "Spark's; spark://… is a cluster"},
    }
    bench(description, rows, **shared, **options)


def stored(tables: Mapping[str, pa.Table], store: Path, snapshot: str = SNAPSHOT) -> Path:
    write_store(tables, store, snapshot)
    return store


def movement(spark: SparkSession, store: Path, out: Path) -> None:
    """R, the data movement that any plan needs.

    The ownership rows are grouped into one sorted array a group, exploded and written.
    """
    claims = spark.read.parquet(f"{store}/assignments/snapshot={SNAPSHOT}")
    fields = F.struct("topic", "partition", "member_id")
    grouped = claims.groupBy(*KEYS).agg(F.sort_array(F.collect_list(fields)).alias("claims"))
    grouped.select(*KEYS, F.inline("claims")).write.mode("overwrite").parquet(str(out))


def plan(spark: SparkSession, store: Path, out: Path) -> None:
    """Plan a store's fleet, and write that."""
    with plan_fleet(FleetSnapshot.read(spark, str(store))) as planned:
        planned.write(str(out))


def write_trials(
    spark: SparkSession,
    out: Path,
    name: str,
    trials: DataFrame,
    summary: Callable[[DataFrame], DataFrame],
) -> None:
    """Write rows of groups and strategies, and what they come to, as commands do it.

    So the groups are measured once for both tables.
    """
    kept = trials.persist()
    try:
        rows = kept.repartition(1).sortWithinPartitions(*KEYS, "strategy")
        tables = {name: rows, "summary": summary(kept).coalesce(1)}
        write_tables(spark, str(out), SNAPSHOT, tables)
    finally:
        kept.unpersist()


def run_command(words: list[str], folder: Path) -> str:
    """The output of a command in that folder, where `out` isn't there before.

    Waits for all that it leaves behind, whose processor time counts.
    """
    shutil.rmtree(folder / "out", ignore_errors=True)
    done = subprocess.run(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    with suppress(ChildProcessError):
        while True:
            os.wait()
    return done.stdout


def yardstick() -> float:
    """Processor seconds of a fixed piece of work: steps of Python, and numbers that are sorted."""
    started, total = time.process_time(), 0
    for step in range(10_000_000):
        total += step & 7
    np.sort(np.random.default_rng(1).random(3_000_000))
    return time.process_time() - started


def _work_of(spark: SparkSession) -> Reals:
    """How many tasks the session has done so far, and how many MB these have shuffled."""
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    done = [executors.apply(at) for at in range(executors.size())]
    return np.sum([(e.completedTasks(), e.totalShuffleWrite() / 1e6) for e in done], axis=0)


def _processor_seconds() -> float:
    """What this process and all that it has started have used so far; 0 where no file says it."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        process = int(file.parent.name)
        children.setdefault(int(fields[1]), []).append(process)
        # its own, and that of children that have ended
        used[process] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, todo = 0.0, [os.getpid()]
    while todo:
        process = todo.pop()
        total += used.get(process, 0.0)
        todo += children.get(process, [])
    return total


def _print_cells(row: Row, cells: Iterable[Any]) -> None:
    widths = (max(len(name), 40 if name == "what" else 8) for name in row)
    line = (f"{cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True))
    print("  ".join(line), flush=True)
