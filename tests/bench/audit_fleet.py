"""Times an audit on fleets of equal groups, beside R and a plan, in one session.

R is the data movement that any plan needs: see stopwatch.py. The audit is run on the tables that
a plan needs, and with `--full` on all of them: brokers, racks, replicas, offsets, and an earlier
snapshot. Its first findings are written.

    python tests/bench/audit_fleet.py --groups 20000 --full --json audit_fleet.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from stopwatch import SNAPSHOT, Stopwatch, benchmark, movement, options_of, plan
from uniform_fleet import uniform_fleet

from spark import FleetSnapshot, audit_fleet
from spark.fleet.local_store import table_of, write_store

EARLIER = "20261121T050000Z"
BROKERS = 9


def main() -> None:
    parser = options_of(__doc__, runs=3)
    parser.add_argument("--full", action="store_true", help="with all optional tables as well")
    options = parser.parse_args()

    def prepare(spark: SparkSession, folder: Path, groups: int) -> Callable[[Stopwatch], None]:
        store, full, out = (
            folder / f"store-{groups}",
            folder / f"full-{groups}",
            str(folder / "out"),
        )
        tables = uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1)
        write_store(tables, store, SNAPSHOT)
        if options.full:
            write_store(tables | _optional(tables, hours=0), full, SNAPSHOT)
            write_store(tables | _optional(tables, hours=1), full, EARLIER)

        def run(timed: Stopwatch) -> None:
            with timed("R"):
                movement(spark, store, out)
            with timed("plan"):
                plan(spark, store, out)
            with timed("audit"):
                _audit(spark, store, out)
            if options.full:
                with timed("audit, all tables, two snapshots"):
                    _audit(spark, full, out, EARLIER)

        return run

    benchmark(options, prepare)


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
    reports = {
        name: partitions[name].combine_chunks() for name in ("cluster", "topic", "partition")
    }
    reports |= {
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
        "partitions": table_of("partitions", reports),
        "offsets": table_of("offsets", offsets),
        "brokers": table_of("brokers", brokers),
    }


if __name__ == "__main__":
    main()
