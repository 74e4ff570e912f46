"""Times `whatif` beside `compare` of the same strategies; members of the groups are in three racks.

    python tests/bench/whatif_fleet.py --groups 2000 --json whatif_fleet.json

`--event` says what happens (crash-rack=rack-0); repeatable, each is tried alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from stopwatch import Stopwatch, benchmark, options_of
from uniform_fleet import uniform_fleet

from spark import FleetSnapshot, compare_fleet, fleet_of, fleet_of_whatif, what_if
from spark.files import write_tables
from spark.fleet.local_store import write_store

STRATEGIES = ("current", "range", "cooperative-sticky", "uniform", "optimal")
SNAPSHOT = "20261121T060000Z"
PARTITIONS, MEMBERS, OVERLAPPING_EVERY, RACKS = 100, 10, 10, 3


def main() -> None:
    options = options_of(__doc__, runs=1)
    options.add_argument("--event", action="append", help="repeatable")
    inputs = options.parse_args()
    events = inputs.event or ["crash-rack=rack-0"]
    benchmark(inputs, partial(_prepare, events), sizes=(2_000,))


def _prepare(
    events: list[str], spark: SparkSession, folder: Path, groups: int
) -> Callable[[Stopwatch], None]:
    store = folder / f"store-{groups}"
    tables = uniform_fleet(groups, PARTITIONS, MEMBERS, OVERLAPPING_EVERY, seed=1)
    members = tables["members"]
    racks = pa.array([f"rack-{at % RACKS}" for at in range(len(members))])
    at = members.schema.get_field_index("rack")
    tables["members"] = members.set_column(at, members.schema.field("rack"), racks)
    write_store(tables, store, SNAPSHOT)

    def run(timed: Stopwatch) -> None:
        def read() -> FleetSnapshot:
            return FleetSnapshot.read(spark, str(store))

        with timed("compare"):
            compared = compare_fleet(read(), STRATEGIES)
            _write(spark, folder, compared, {"fleet": fleet_of}, "comparison")
        for event in events:
            with timed(f"whatif {event}"):
                happened = what_if(read(), [event], STRATEGIES)
                _write(spark, folder, happened, {"strategies": fleet_of_whatif}, "whatif")

    return run


def _write(
    spark: SparkSession,
    folder: Path,
    rows: DataFrame,
    summary: dict[str, Callable[[DataFrame], DataFrame]],
    name: str,
) -> None:
    """Both tables, as the commands do it."""
    kept = rows.persist()
    try:
        in_order = kept.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
        sums = {table: make(kept).coalesce(1) for table, make in summary.items()}
        write_tables(spark, str(folder / name), SNAPSHOT, {name: in_order, **sums})
    finally:
        kept.unpersist()


if __name__ == "__main__":
    main()
