"""How the cost of a plan grows with the fleet, and what a larger fleet would take.

Plans fleets of equal groups (100 partitions, 10 members), each in a session of its own, and reads
the event log: tasks, processor seconds, shuffle bytes, and the most memory an executor used. The
line through two sizes predicts the next one, which shows how far it can be trusted, and that
through the two largest predicts `--predict` groups. `--standalone` plans on a cluster of two
workers with one core and 512 MB each.

    python -m tests.bench.fleet_size --groups 5000 --groups 20000 --groups 100000
    python -m tests.bench.fleet_size --groups 5000 --groups 20000 --standalone
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from spark.fleet.local_store import write_store
from spark.terminal.session import session
from tests.bench.stopwatch import SNAPSHOT, Stopwatch, plan
from tests.bench.uniform_fleet import uniform_fleet
from tests.spark.cluster.standalone import SETTINGS, StandaloneCluster

PARTITIONS = 100
MEMBERS = 10

FEW = 1_000
"""Groups of the fleet that warms a session up."""

MEASURES = ("wall s", "processor s", "shuffle MB")
"""What grows with the fleet as a line does."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--groups", type=int, action="append", help="groups of a fleet; repeatable")
    parser.add_argument("--predict", type=int, default=1_000_000, help="groups to predict")
    parser.add_argument("--standalone", action="store_true", help="on two workers of one core")
    options = parser.parse_args()
    sizes = sorted(options.groups or (5_000, 20_000, 100_000))
    if len(sizes) == 1:
        parser.error("a line takes two sizes: --groups 5000 --groups 20000")
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        cluster = StandaloneCluster(folder) if options.standalone else nullcontext(None)
        with cluster as machines:
            master = machines.master if machines else "local[2]"
            rows = [_measured(folder / str(groups), groups, master) for groups in sizes]
    finally:
        shutil.rmtree(folder)
    pairs = zip(itertools.pairwise(rows), [*sizes[2:], options.predict], strict=True)
    lines = [_predicted(*pair, groups) for pair, groups in pairs]
    for row in [*rows, *lines]:
        print("  ".join(f"{name}: {value}" for name, value in row.items()))


def _measured(folder: Path, groups: int, master: str) -> dict[str, Any]:
    """The second plan of a session: the first has a few groups, and warms Java and Python up."""
    few, store, events = folder / "few", folder / "store", folder / "events"
    events.mkdir(parents=True)
    for size, where in ((FEW, few), (groups, store)):
        write_store(uniform_fleet(size, PARTITIONS, MEMBERS, 10, seed=1), where, SNAPSHOT)
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(events),
        "spark.eventLog.compress": "false",
        "spark.eventLog.logStageExecutorMetrics": "true",
        "spark.executor.processTreeMetrics.enabled": "true",
        "spark.executor.metrics.pollingInterval": "200ms",
    }
    if master.startswith("spark:"):
        conf |= {name: SETTINGS[name] for name in ("spark.driver.host", "spark.executor.memory")}
    timed = Stopwatch()
    with session(master, conf) as spark:
        for _ in range(3):
            plan(spark, few, str(folder / "out"))
        begun = time.time()
        with timed("plan"):
            plan(spark, store, str(folder / "out"))
    (row,) = timed.rows(groups)
    return {
        "groups": groups,
        "partitions": groups * PARTITIONS,
        "wall s": row["median_s"],
        "processor s": row["processor_s"],
        **_logged(events, begun),
    }


def _logged(events: Path, begun: float) -> dict[str, Any]:
    """What the event log says of tasks since then, and of the executor that used most memory."""
    tasks, shuffled, heap, python = 0, 0, 0, 0
    stages = set()
    for event in _events(events):
        if event["Event"] == "SparkListenerTaskEnd":
            if event["Task Info"]["Launch Time"] < begun * 1000:
                continue
            stages.add(event["Stage ID"])
            tasks += 1
            shuffled += event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        elif event["Event"] == "SparkListenerStageExecutorMetrics" and event["Stage ID"] in stages:
            peaks = event["Executor Metrics"]
            heap = max(heap, peaks["JVMHeapMemory"])
            python = max(python, peaks["ProcessTreePythonRSSMemory"])
    return {
        "tasks": tasks,
        "shuffle MB": round(shuffled / 1e6, 1),
        "heap MB": round(heap / 1e6),
        "python MB": round(python / 1e6),
    }


def _events(folder: Path) -> Iterator[dict[str, Any]]:
    for log in folder.rglob("*"):
        if log.is_file() and log.name.startswith(("events_", "local-", "app-")):
            with log.open(encoding="utf-8") as lines:
                yield from map(json.loads, lines)


def _predicted(small: dict[str, Any], large: dict[str, Any], groups: int) -> dict[str, Any]:
    """What lies on the line through two measured sizes."""
    beyond = (groups - small["groups"]) / (large["groups"] - small["groups"])
    line = {name: round(small[name] + beyond * (large[name] - small[name])) for name in MEASURES}
    return {"predicted groups": groups, **line}


if __name__ == "__main__":
    main()
