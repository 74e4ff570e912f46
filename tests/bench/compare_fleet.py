"""Times `compare` with all strategies beside `plan` on a fleet of equal groups, in one session.

Both go from Parquet to Parquet, in turns.

    python tests/bench/compare_fleet.py --groups 20000 --json compare_fleet.json
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from stopwatch import SNAPSHOT, Stopwatch, benchmark, options_of
from uniform_fleet import uniform_fleet

from optimizer import STRATEGIES
from spark import FleetSnapshot, compare_fleet, fleet_of, plan_fleet
from spark.files import write_tables
from spark.fleet.local_store import write_store


def main() -> None:
    benchmark(options_of(__doc__, runs=3).parse_args(), _prepare)


def _prepare(spark: SparkSession, folder: Path, groups: int) -> Callable[[Stopwatch], None]:
    store = folder / f"store-{groups}"
    write_store(uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1), store, SNAPSHOT)

    def run(timed: Stopwatch) -> None:
        with timed("plan"), plan_fleet(FleetSnapshot.read(spark, str(store))) as plan:
            plan.write(str(folder / "plan"))
        with timed(f"compare, current and {len(STRATEGIES)} strategies"):
            _compare(spark, store, folder)

    return run


def _compare(spark: SparkSession, store: Path, folder: Path) -> None:
    """As the command does it, so that the groups are measured once for both tables."""
    comparison = compare_fleet(FleetSnapshot.read(spark, str(store))).persist()
    try:
        rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
        tables = {"comparison": rows, "fleet": fleet_of(comparison).coalesce(1)}
        write_tables(spark, str(folder / "compare"), SNAPSHOT, tables)
    finally:
        comparison.unpersist()


if __name__ == "__main__":
    main()
