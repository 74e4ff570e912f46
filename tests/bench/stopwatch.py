"""What the benchmarks of fleets share: jobs in turns in one session, their times, and a table."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession, functions as F

from spark import FleetSnapshot, plan_fleet
from spark.terminal.session import session

SNAPSHOT = "20261121T060000Z"
KEYS = ("cluster", "group")

YARDSTICKS = ("R", "plan")
"""The jobs that others are compared with; the first one where none of these is."""


class Stopwatch:
    """How long each job took: wall time, and time on processors of Spark and its workers.

    Wall time suffers from whatever else the machine does; the processors' time hardly does.
    """

    def __init__(self) -> None:
        self._walls: dict[str, list[float]] = {}
        self._processors: dict[str, list[float]] = {}

    @contextmanager
    def __call__(self, job: str) -> Iterator[None]:
        started, used = time.perf_counter(), _processor_seconds()
        yield
        self._walls.setdefault(job, []).append(time.perf_counter() - started)
        self._processors.setdefault(job, []).append(_processor_seconds() - used)

    def rows(self, groups: int) -> list[dict[str, Any]]:
        """A row a job, with medians, and how many times those of the yardsticks they are."""
        wall = {job: statistics.median(times) for job, times in self._walls.items()}
        processor = {job: statistics.median(times) for job, times in self._processors.items()}
        yards = [job for job in YARDSTICKS if job in wall] or [next(iter(wall))]
        return [
            {
                "groups": groups,
                "what": job,
                "median_s": round(wall[job], 2),
                "min_s": round(min(self._walls[job]), 2),
                "max_s": round(max(self._walls[job]), 2),
                "processor_s": round(processor[job], 2),
                **{f"times_{yard}": round(wall[job] / wall[yard], 2) for yard in yards},
                **{
                    f"processor_times_{yard}": _ratio(processor[job], processor[yard])
                    for yard in yards
                },
            }
            for job in wall
        ]


Prepare = Callable[[SparkSession, Path, int], Callable[[Stopwatch], None]]
"""Of a session, a folder to write to and a number of groups makes a run of all jobs."""


def options_of(description: str | None, runs: int) -> argparse.ArgumentParser:
    """The options of each benchmark; `runs` by default."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--groups", type=int, action="append", help="groups of a fleet; repeatable")
    parser.add_argument(
        "--runs", type=int, default=runs, help="counted runs, after one that is not"
    )
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", help="file for the figures")
    return parser


def benchmark(
    options: argparse.Namespace,
    prepare: Prepare,
    sizes: tuple[int, ...] = (20_000,),
    conf: Mapping[str, str] | None = None,
) -> None:
    """Time the jobs on fleets of each size, print the table, and save it where that is asked."""
    rows: list[dict[str, Any]] = []
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        settings = {"spark.ui.enabled": "false", **(conf or {})}
        with session(f"local[{options.cores}]", settings) as spark:
            for groups in options.groups or sizes:
                run = prepare(spark, folder, groups)
                run(Stopwatch())
                counted = Stopwatch()
                for _ in range(options.runs):
                    run(counted)
                rows += counted.rows(groups)
    finally:
        shutil.rmtree(folder)
    _print(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2), encoding="utf-8")


def movement(spark: SparkSession, store: Path, out: str) -> None:
    """R, the data movement that any plan needs.

    The ownership rows are grouped into one sorted array a group, exploded and written.
    """
    claims = spark.read.parquet(f"{store}/assignments/snapshot={SNAPSHOT}")
    fields = F.struct("topic", "partition", "member_id")
    grouped = claims.groupBy(*KEYS).agg(F.sort_array(F.collect_list(fields)).alias("claims"))
    grouped.select(*KEYS, F.inline("claims")).write.mode("overwrite").parquet(f"{out}/movement")


def plan(spark: SparkSession, store: Path, out: str) -> None:
    """Plan a store's fleet, and write that."""
    with plan_fleet(FleetSnapshot.read(spark, str(store))) as planned:
        planned.write(f"{out}/plan")


def _ratio(measured: float, least: float) -> float | None:
    """None where the processors' time isn't known."""
    return round(measured / least, 2) if least else None


def _processor_seconds() -> float:
    """What this process and all that it has started have used so far; 0 where that isn't told."""
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


def _print(rows: list[dict[str, Any]]) -> None:
    columns = list(rows[0])
    widths = [max(len(str(row[column])) for row in [*rows, {column: column}]) for column in columns]
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    for row in [dict(zip(columns, columns, strict=True)), *rows]:
        cells = zip(columns, widths, strict=True)
        print("  ".join(f"{row[c]!s:{'<' if c == 'what' else '>'}{w}}" for c, w in cells))
