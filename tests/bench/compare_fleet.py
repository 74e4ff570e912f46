"""Times `compare` with all strategies beside `plan` on a fleet of equal groups, in one session.

Both go from Parquet to Parquet, in turns. Wall time suffers from whatever else the machine does;
the processor time of Spark and its workers hardly does (Linux only).

    python tests/bench/compare_fleet.py --groups 20000 --json compare_fleet.json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from optimizer import STRATEGIES
from spark import FleetSnapshot, compare_fleet, fleet_of, plan_fleet
from spark.session import session
from spark.sources.store_files import write_store
from spark.sources.uniform_fleet import uniform_fleet
from spark.store import write_table

SNAPSHOT = "20261121T060000Z"


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        store = folder / "store"
        fleet = uniform_fleet(options.groups, 100, 10, overlapping_every=10, seed=1)
        write_store(fleet, store, SNAPSHOT)
        with session(f"local[{options.cores}]", {"spark.ui.enabled": "false"}) as spark:
            rows = _measure(spark, store, folder, options.groups, options.runs)
    finally:
        shutil.rmtree(folder)
    _print(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--groups", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3, help="counted runs, after one that is not")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", help="file for the figures")
    return parser.parse_args()


def _measure(
    spark: SparkSession, store: Path, folder: Path, groups: int, runs: int
) -> list[dict[str, Any]]:
    everything = f"compare, current and {len(STRATEGIES)} strategies"
    jobs: dict[str, Callable[[], None]] = {
        "plan": lambda: _plan(spark, store, folder),
        everything: lambda: _compare(spark, store, folder),
    }
    wall: dict[str, list[float]] = {name: [] for name in jobs}
    processor: dict[str, list[float]] = {name: [] for name in jobs}
    for run in range(runs + 1):
        for name, job in jobs.items():
            started, before = time.perf_counter(), processor_seconds()
            job()
            if run:
                wall[name].append(time.perf_counter() - started)
                processor[name].append(processor_seconds() - before)
    return [
        {
            "groups": groups,
            "what": name,
            "median_s": round(statistics.median(wall[name]), 2),
            "times_plan": _ratio(wall[name], wall["plan"]),
            "processor_s": round(statistics.median(processor[name]), 2),
            "processor_times_plan": _ratio(processor[name], processor["plan"]),
        }
        for name in jobs
    ]


def _ratio(measured: list[float], plan: list[float]) -> float | None:
    """Of the medians; None where the processor's time isn't known."""
    least = statistics.median(plan)
    return round(statistics.median(measured) / least, 2) if least else None


def _plan(spark: SparkSession, store: Path, folder: Path) -> None:
    with plan_fleet(FleetSnapshot.read(spark, str(store))) as plan:
        plan.write(str(folder / "plan"))


def _compare(spark: SparkSession, store: Path, folder: Path) -> None:
    """As the command does it, so that the groups are measured once for both tables."""
    comparison = compare_fleet(FleetSnapshot.read(spark, str(store))).persist()
    try:
        rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
        write_table(rows, str(folder / "compare"), "comparison", SNAPSHOT)
        write_table(fleet_of(comparison).coalesce(1), str(folder / "compare"), "fleet", SNAPSHOT)
    finally:
        comparison.unpersist()


def processor_seconds() -> float:
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
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(f"{'groups':>8}  {'what':<34} {'median s':>9} {'× plan':>7} {'cpu s':>8} {'× plan':>7}")
    for row in rows:
        print(
            f"{row['groups']:>8}  {row['what']:<34} {row['median_s']:>9} {row['times_plan']:>7} "
            f"{row['processor_s']:>8} {row['processor_times_plan'] or '-':>7}"
        )


if __name__ == "__main__":
    main()
