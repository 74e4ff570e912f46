"""Times `plan` on fleets of equal groups, beside two yardsticks, in one session.

R is the data movement that any plan needs: the ownership rows grouped into one sorted array
a group, exploded and written. The obvious way is `applyInPandas` with a partition × member network
for each group; it is run on a part of the groups and said to be so.

    python tests/bench/plan_fleet.py --groups 20000 --groups 5000 --json plan_fleet.json
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from ortools.graph.python import min_cost_flow
from pyspark.sql import DataFrame, SparkSession, functions as F
from stopwatch import KEYS, SNAPSHOT, Stopwatch, benchmark, movement, options_of, plan
from uniform_fleet import uniform_fleet

from optimizer import Goals
from spark import FleetSnapshot, plan_fleet
from spark.fleet.local_store import write_store


def main() -> None:
    parser = options_of(__doc__, runs=3)
    parser.add_argument(
        "--obvious", type=int, default=500, help="groups that the obvious way plans"
    )
    options = parser.parse_args()

    def prepare(spark: SparkSession, folder: Path, groups: int) -> Callable[[Stopwatch], None]:
        store, out = folder / f"store-{groups}", str(folder / "out")
        write_store(uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1), store, SNAPSHOT)
        part = min(options.obvious, groups)

        def run(timed: Stopwatch) -> None:
            with timed("R"):
                movement(spark, store, out)
            with timed("plan"):
                plan(spark, store, out)
            with timed("plan by weight"):
                _plan_by_weight(spark, store, out)
            with timed(f"obvious way, {part} of the groups"):
                _obvious(spark, store, out, part)

        return run

    benchmark(options, prepare, sizes=(20_000, 5_000))


def _plan_by_weight(spark: SparkSession, store: Path, out: str) -> None:
    """The same fleet with lognormal weights, which its groups' plans are to even out."""
    snapshot = FleetSnapshot.read(spark, str(store))
    # Two halves of a hash make a normal number, whatever the order of rows (Box and Muller 1958).
    even, odd = (F.abs(F.xxhash64("topic", "partition", F.lit(n))) / 2.0**63 for n in range(2))
    normal = F.sqrt(-2 * F.log(even + 1e-12)) * F.cos(2 * math.pi * odd)
    partitions = snapshot.tables["partitions"].withColumn("weight", F.exp(normal))
    weighed = replace(snapshot, tables={**snapshot.tables, "partitions": partitions})
    with plan_fleet(weighed, goals=Goals(balance="weight")) as planned:
        planned.write(f"{out}/by-weight")


def _obvious(spark: SparkSession, store: Path, out: str, groups: int) -> None:
    """What one would write first: join the tables, and a network of partitions and members."""
    tables = FleetSnapshot.read(spark, str(store)).tables
    selection = tables["members"].select(*KEYS).distinct().orderBy(*KEYS).limit(groups)
    rows = (
        tables["subscriptions"]
        .join(selection, list(KEYS))
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


if __name__ == "__main__":
    main()
