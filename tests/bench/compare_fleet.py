"""Times `compare` with all strategies beside `plan` on a fleet of equal groups, in one session.

Both go from Parquet to Parquet, in turns.

    python -m tests.bench.compare_fleet --groups 20000 --json compare_fleet.json
"""

import argparse
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from optimizer import STRATEGIES
from spark import FleetSnapshot, compare_fleet, fleet_of
from tests.bench.equal_groups import equal_groups
from tests.bench.stopwatch import Jobs, fleet_bench, plan, stored, write_trials


def jobs_of(spark: SparkSession, folder: Path, groups: int, _: argparse.Namespace) -> Jobs:
    store = stored(equal_groups(groups), folder / "store")

    def compare() -> None:
        comparison = compare_fleet(FleetSnapshot.read(spark, str(store)))
        write_trials(spark, folder / "compare", "comparison", comparison, fleet_of)

    return {
        "plan": partial(plan, spark, store, folder / "plan"),
        f"compare, current and {len(STRATEGIES)} strategies": compare,
    }


if __name__ == "__main__":
    fleet_bench(__doc__, jobs_of)
