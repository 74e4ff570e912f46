"""Times `plan` on fleets of equal groups, beside two yardsticks, in one session.

R is the data movement that any plan needs: the ownership rows grouped into one sorted array
a group, exploded and written. The obvious way is `applyInPandas` with a partition × member network
for each group; it is run on a part of the groups and said to be so.

    python tests/bench/plan_fleet.py --groups 20000 --groups 5000 --json plan_fleet.json
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
import pandas as pd
from ortools.graph.python import min_cost_flow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark import FleetSnapshot, plan_fleet
from spark.session import session
from spark.sources.store_files import write_store
from spark.sources.uniform_fleet import uniform_fleet

SNAPSHOT = "20261121T060000Z"
KEYS = ("cluster", "group")


def main() -> None:
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="evenfleet-bench-"))
    try:
        with session(f"local[{options.cores}]", {"spark.ui.enabled": "false"}) as spark:
            rows = [
                row
                for groups in options.groups or [20_000, 5_000]
                for row in _measure(spark, folder, groups, options.runs, options.obvious)
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
    parser.add_argument("--runs", type=int, default=3, help="counted runs, after one that is not")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument(
        "--obvious", type=int, default=500, help="groups that the obvious way plans"
    )
    parser.add_argument("--json", help="file for the figures")
    return parser.parse_args()


def _measure(
    spark: SparkSession, folder: Path, groups: int, runs: int, obvious: int
) -> list[dict[str, Any]]:
    store = folder / f"store-{groups}"
    write_store(uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1), store, SNAPSHOT)
    out = str(folder / "out")
    part = min(obvious, groups)
    jobs: dict[str, Callable[[], None]] = {
        "R": lambda: _movement(spark, store, out),
        "plan": lambda: _plan(spark, store, out),
        f"obvious way, {part} of the groups": lambda: _obvious(spark, store, out, part),
    }
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for run in range(runs + 1):
        for name, job in jobs.items():
            started = time.perf_counter()
            job()
            if run:
                times[name].append(time.perf_counter() - started)
    r = statistics.median(times["R"])
    return [
        {
            "groups": groups,
            "what": name,
            "median_s": round(statistics.median(measured), 2),
            "min_s": round(min(measured), 2),
            "max_s": round(max(measured), 2),
            "times_R": round(statistics.median(measured) / r, 2),
        }
        for name, measured in times.items()
    ]


def _movement(spark: SparkSession, store: Path, out: str) -> None:
    claims = spark.read.parquet(f"{store}/assignments/snapshot={SNAPSHOT}")
    fields = F.struct("topic", "partition", "member_id")
    grouped = claims.groupBy(*KEYS).agg(F.sort_array(F.collect_list(fields)).alias("claims"))
    grouped.select(*KEYS, F.inline("claims")).write.mode("overwrite").parquet(f"{out}/movement")


def _plan(spark: SparkSession, store: Path, out: str) -> None:
    with plan_fleet(FleetSnapshot.read(spark, str(store))) as plan:
        plan.write(f"{out}/plan")


def _obvious(spark: SparkSession, store: Path, out: str, groups: int) -> None:
    """What one would write first: join the tables, and a network of partitions and members."""
    tables = FleetSnapshot.read(spark, str(store)).tables
    chosen = tables["members"].select(*KEYS).distinct().orderBy(*KEYS).limit(groups)
    rows = (
        tables["subscriptions"]
        .join(chosen, list(KEYS))
        .join(tables["partitions"].select("cluster", "topic", "partition"), ["cluster", "topic"])
        .join(
            tables["assignments"].withColumnRenamed("member_id", "owner").drop("generation"),
            [*KEYS, "topic", "partition"],
            "left",
        )
    )
    schema = "cluster string, `group` string, topic string, partition int, member_id string"
    planned: DataFrame = rows.groupBy(*KEYS).applyInPandas(_obvious_group, schema)
    planned.write.mode("overwrite").parquet(f"{out}/obvious")


def _obvious_group(rows: pd.DataFrame) -> pd.DataFrame:
    """One node a partition, one arc a (partition, subscriber), unit arcs from members to a sink."""
    places = rows[["topic", "partition"]].drop_duplicates().reset_index(drop=True)
    members = sorted(rows["member_id"].unique())
    place = rows.merge(places.reset_index(), on=["topic", "partition"])["index"].to_numpy()
    member = np.searchsorted(members, rows["member_id"])
    count, sink = len(places), len(places) + len(members)
    nth = np.tile(np.arange(1, count + 1), len(members))
    loads = np.repeat(np.arange(len(members)), count)
    moves = (rows["owner"] != rows["member_id"]).astype(int)
    network = min_cost_flow.SimpleMinCostFlow()
    arcs = network.add_arcs_with_capacity_and_unit_cost(
        np.concatenate([place, count + loads]),
        np.concatenate([count + member, np.full(len(loads), sink)]),
        np.ones(len(place) + len(loads), np.int64),
        np.concatenate([moves, (2 * nth - 1) * (count + 1)]),
    )
    network.set_nodes_supplies(np.arange(count), np.ones(count, np.int64))
    network.set_node_supply(sink, -count)
    if network.solve() != network.OPTIMAL:
        raise RuntimeError("the network of the obvious way was not solved")
    used = network.flows(arcs[: len(place)]) > 0
    return rows.loc[used, ["cluster", "group", "topic", "partition", "member_id"]]


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"\n{os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(f"{'groups':>8}  {'what':<34} {'median s':>9} {'min s':>7} {'max s':>7} {'× R':>6}")
    for row in rows:
        print(
            f"{row['groups']:>8}  {row['what']:<34} {row['median_s']:>9} {row['min_s']:>7} "
            f"{row['max_s']:>7} {row['times_R']:>6}"
        )


if __name__ == "__main__":
    main()
