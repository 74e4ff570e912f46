"""Times the graph of a fleet of equal groups, beside R and a plan, in one session.

R is the data movement that any plan needs: see stopwatch.py. Brokers are dealt out to partitions,
so that there is something to fail, and every tenth group reads a topic of its neighbour's as well,
so that there is something to couple. Building by partitions leaves out the `subscribes` edges: they
are computed when they are asked for. Reach is asked of a graph of which nothing is built.

    python tests/bench/graph_fleet.py --groups 20000 --json graph_fleet.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from stopwatch import SNAPSHOT, Stopwatch, benchmark, movement, options_of, plan
from uniform_fleet import uniform_fleet

from spark import FleetSnapshot
from spark.fleet.local_store import write_store
from spark.graph.fleet_graph import FleetGraph, components, coupled_groups, fleet_graph, reach
from spark.graph.packages import coordinate

BROKERS = 12
COUPLED_EVERY = 10


def main() -> None:
    packages = {"spark.jars.packages": coordinate("graphframes")}
    benchmark(options_of(__doc__, runs=1).parse_args(), _prepare, conf=packages)


def _prepare(spark: SparkSession, folder: Path, groups: int) -> Callable[[Stopwatch], None]:
    store = folder / f"store-{groups}"
    write_store(_fleet(groups), store, SNAPSHOT)

    def run(timed: Stopwatch) -> None:
        with timed("R"):
            movement(spark, store, str(folder / "out"))
        with timed("plan"):
            plan(spark, store, str(folder / "out"))
        snapshot = FleetSnapshot.read(spark, str(store))
        with timed("graph by topics"):
            graph = _built(snapshot, "topic")
        with graph:
            with timed("coupled groups: components of the fleet"):
                _all(coupled_groups(graph))
            item = graph.parts["member"].orderBy("id").first()
            assert item
            with timed("components of one group"):
                _all(components(graph, item["cluster"], item["group"]))
        with timed("graph by partitions"):
            graph = _built(snapshot, "partition")
        graph.release()
        with timed("reach of a broker"), fleet_graph(snapshot) as graph:
            _all(reach(graph, broker=1))

    return run


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


def _built(snapshot: FleetSnapshot, grain: Any) -> FleetGraph:
    """Vertices and edges computed, but for what members of a partition graph may read."""
    graph = fleet_graph(snapshot, grain)
    for kind, rows in graph.parts.items():
        if grain == "topic" or kind != "subscribes":
            rows.count()
    return graph


def _all(rows: Any) -> None:
    rows.write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    main()
