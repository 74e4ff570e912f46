"""Times the graph of a fleet of equal groups, beside R, in one session.

R is the data movement that any plan needs: see plan_fleet.py. Brokers are dealt out to partitions,
so that there is something to fail, and every tenth group reads a topic of its neighbour's as well,
so that there is something to couple. Building by partitions leaves out the `subscribes` edges, as
reach does: they are computed when they are asked for.

    python tests/bench/graph_fleet.py --groups 20000 --json graph_fleet.json
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark import FleetSnapshot
from spark.graph import FleetGraph, components, coupled_groups, fleet_graph, reach
from spark.packages import coordinate
from spark.session import session
from spark.sources.store_files import write_store
from spark.sources.uniform_fleet import uniform_fleet

SNAPSHOT = "20261121T060000Z"
KEYS = ("cluster", "group")
BROKERS = 12
COUPLED_EVERY = 10


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        conf = {"spark.ui.enabled": "false", "spark.jars.packages": coordinate("graphframes")}
        with session(f"local[{options.cores}]", conf) as spark:
            rows = [
                row
                for groups in options.groups or [20_000]
                for row in _measure(spark, folder, groups, options.runs)
            ]
    finally:
        shutil.rmtree(folder)
    _print(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=2), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--groups", type=int, action="append", help="groups of a fleet; repeatable")
    parser.add_argument("--runs", type=int, default=1, help="counted runs, after one that is not")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", help="file for the figures")
    return parser.parse_args()


def _measure(spark: SparkSession, folder: Path, groups: int, runs: int) -> list[dict[str, Any]]:
    store = folder / f"store-{groups}"
    write_store(_fleet(groups), store, SNAPSHOT)
    times: dict[str, list[float]] = {}
    for run in range(runs + 1):
        for name, taken in _run(spark, store, str(folder / "out")).items():
            if run:
                times.setdefault(name, []).append(taken)
    r = statistics.median(times["R"])
    return [
        {
            "groups": groups,
            "what": name,
            "median_s": round(statistics.median(measured), 2),
            "times_R": round(statistics.median(measured) / r, 2),
        }
        for name, measured in times.items()
    ]


def _run(spark: SparkSession, store: Path, out: str) -> dict[str, float]:
    """Seconds of each piece of work, once."""
    times: dict[str, float] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        times[name] = time.perf_counter() - started

    with timed("R"):
        _movement(spark, store, out)
    snapshot = FleetSnapshot.read(spark, str(store))
    with timed("graph by topics"):
        graph = _built(snapshot, "topic")
    with graph:
        with timed("coupled groups: components of the fleet"):
            _all(coupled_groups(graph))
        one = graph.parts["member"].orderBy("id").first()
        assert one
        with timed("components of one group"):
            _all(components(graph, one["cluster"], one["group"]))
    with timed("graph by partitions"):
        graph = _built(snapshot, "partition")
    with graph, timed("reach of a broker"):
        _all(reach(graph, broker=1))
    return times


def _fleet(groups: int) -> dict[str, pa.Table]:
    """A uniform fleet with leaders, some of whose groups read a topic of the next one."""
    tables = uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1)
    partitions, subscriptions = tables["partitions"], tables["subscriptions"]
    leader = pa.array(np.arange(len(partitions)) // 100 % BROKERS, pa.int32())
    at = partitions.schema.get_field_index("leader")
    if at < 0:
        tables["partitions"] = partitions.append_column("leader", leader)
    else:
        tables["partitions"] = partitions.set_column(at, "leader", leader)
    rows = subscriptions.to_pandas()
    first = rows.drop_duplicates(["cluster", "group"])
    following = first.assign(topic=first.groupby("cluster")["topic"].shift(-1))
    more = following.dropna(subset=["topic"]).iloc[::COUPLED_EVERY]
    tables["subscriptions"] = pa.concat_tables(
        [subscriptions, pa.Table.from_pandas(more, subscriptions.schema, preserve_index=False)]
    )
    return tables


def _movement(spark: SparkSession, store: Path, out: str) -> None:
    claims = spark.read.parquet(f"{store}/assignments/snapshot={SNAPSHOT}")
    fields = F.struct("topic", "partition", "member_id")
    grouped = claims.groupBy(*KEYS).agg(F.sort_array(F.collect_list(fields)).alias("claims"))
    grouped.select(*KEYS, F.inline("claims")).write.mode("overwrite").parquet(f"{out}/movement")


def _built(snapshot: FleetSnapshot, grain: Any) -> FleetGraph:
    """Vertices and edges computed, but for what members of a partition graph may read."""
    graph = fleet_graph(snapshot, grain)
    for kind, rows in graph.parts.items():
        if grain == "topic" or kind != "subscribes":
            rows.count()
    return graph


def _all(rows: Any) -> None:
    rows.write.format("noop").mode("overwrite").save()


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(f"{'groups':>8}  {'what':<42} {'median s':>9} {'× R':>6}")
    for row in rows:
        print(f"{row['groups']:>8}  {row['what']:<42} {row['median_s']:>9} {row['times_R']:>6}")


if __name__ == "__main__":
    main()
