"""Times an audit on fleets of equal groups, beside R, in one session.

R is the data movement that any plan needs: see plan_fleet.py. The audit is run on the tables that
a plan needs, and with `--full` on all of them: brokers, racks, replicas, offsets, and an earlier
snapshot. Its first findings are written; the processor's time is told beside the wall's, because
other work on the machine makes the latter longer.

    python tests/bench/audit_fleet.py --groups 20000 --full --json audit_fleet.json
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

import numpy as np
import pyarrow as pa
from plan_fleet import SNAPSHOT, _movement
from pyspark.sql import SparkSession

from spark import FleetSnapshot, audit_fleet
from spark.session import session
from spark.sources.store_files import table_of, write_store
from spark.sources.uniform_fleet import uniform_fleet

EARLIER = "20261121T050000Z"
BROKERS = 9


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        with session(f"local[{options.cores}]", {"spark.ui.enabled": "false"}) as spark:
            rows = _measure(spark, folder, options)
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
    parser.add_argument("--full", action="store_true", help="with all optional tables as well")
    parser.add_argument("--json", help="file for the figures")
    return parser.parse_args()


def _measure(
    spark: SparkSession, folder: Path, options: argparse.Namespace
) -> list[dict[str, Any]]:
    store, full = folder / "store", folder / "full"
    tables = uniform_fleet(options.groups, 100, 10, overlapping_every=10, seed=1)
    write_store(tables, store, SNAPSHOT)
    out = str(folder / "out")
    jobs: dict[str, Callable[[], None]] = {
        "R": lambda: _movement(spark, store, out),
        "audit": lambda: _audit(spark, store, out),
    }
    if options.full:
        write_store(tables | _optional(tables, hours=0), full, SNAPSHOT)
        write_store(tables | _optional(tables, hours=1), full, EARLIER)
        jobs["audit, all tables, two snapshots"] = lambda: _audit(spark, full, out, EARLIER)
    walls: dict[str, list[float]] = {name: [] for name in jobs}
    cores: dict[str, list[float]] = {name: [] for name in jobs}
    for run in range(options.runs + 1):
        for name, job in jobs.items():
            started, used = time.perf_counter(), _processor_seconds()
            job()
            if run:
                walls[name].append(time.perf_counter() - started)
                cores[name].append(_processor_seconds() - used)
    return [
        {
            "groups": options.groups,
            "what": name,
            "median_s": round(statistics.median(walls[name]), 2),
            "min_s": round(min(walls[name]), 2),
            "times_R": round(statistics.median(walls[name]) / statistics.median(walls["R"]), 2),
            "cpu_s": round(statistics.median(cores[name]), 2),
            "cpu_times_R": round(statistics.median(cores[name]) / statistics.median(cores["R"]), 2),
        }
        for name in jobs
    ]


def _audit(spark: SparkSession, store: Path, out: str, earlier: str | None = None) -> None:
    fleet = FleetSnapshot.read(spark, str(store))
    previous = FleetSnapshot.read(spark, str(store), earlier) if earlier else None
    with audit_fleet(fleet, previous) as audit:
        audit.groups()
        audit.findings.write.mode("overwrite").parquet(f"{out}/findings")


def _optional(tables: dict[str, pa.Table], hours: int) -> dict[str, pa.Table]:
    """Leaders, replicas and racks of partitions, brokers, and offsets some hours ago."""
    partitions = tables["partitions"]
    count = len(partitions)
    number = partitions["partition"].to_numpy()
    replicas = (number[:, None] + np.arange(3)) % BROKERS + 1
    racks = pa.array(["rack-a", "rack-b", "rack-c"])
    cells = pa.ListArray.from_arrays(
        pa.array(np.arange(count + 1) * 3, pa.int32()), pa.array(replicas.ravel(), pa.int32())
    )
    told = {name: partitions[name].combine_chunks() for name in ("cluster", "topic", "partition")}
    told |= {
        "leader": pa.array(replicas[:, 0], pa.int32()),
        "replicas": cells,
        "isr": cells,
        "leader_rack": racks.take(pa.array(replicas[:, 0] % 3)),
    }
    members = tables["members"]
    placed = {name: members[name].combine_chunks() for name in ("cluster", "group", "member_id")}
    placed["rack"] = racks.take(pa.array(np.arange(len(members)) % 3))
    owned = tables["assignments"]
    offsets = {
        name: owned[name].combine_chunks() for name in ("cluster", "group", "topic", "partition")
    }
    offsets |= {
        "committed_offset": pa.array(np.full(count, 1_000_000 - hours * 1000)),
        "end_offset": pa.array(np.full(count, 1_000_010 - hours * 1000)),
        "lag": pa.array(np.full(count, 10)),
    }
    clusters = sorted(set(partitions["cluster"].to_pylist()))
    brokers = {
        "cluster": [cluster for cluster in clusters for _ in range(BROKERS)],
        "broker": [broker + 1 for _ in clusters for broker in range(BROKERS)],
    }
    return {
        "members": table_of("members", placed),
        "partitions": table_of("partitions", told),
        "offsets": table_of("offsets", offsets),
        "brokers": table_of("brokers", brokers),
    }


def _processor_seconds() -> float:
    """Of this process and all below it, as far as Linux tells."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number] = int(fields[1])
        ticks[number] = sum(map(int, fields[11:15]))
    family, grown = {os.getpid()}, True
    while grown:
        more = {one for one, parent in parents.items() if parent in family} - family
        family, grown = family | more, bool(more)
    return sum(ticks[one] for one in family if one in ticks) / os.sysconf("SC_CLK_TCK")


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(f"{'groups':>8}  {'what':<34} {'median s':>9} {'× R':>6} {'cpu s':>7} {'cpu × R':>8}")
    for row in rows:
        print(
            f"{row['groups']:>8}  {row['what']:<34} {row['median_s']:>9} {row['times_R']:>6} "
            f"{row['cpu_s']:>7} {row['cpu_times_R']:>8}"
        )


if __name__ == "__main__":
    main()
