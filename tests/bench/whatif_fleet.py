"""Times `whatif` beside `compare` of the same strategies, on the demo's fleet, which has racks.

python -m tests.bench.whatif_fleet --groups 2000 --json whatif_fleet.json
"""

import argparse
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from spark import FleetSnapshot, compare_fleet, fleet_of, fleet_of_whatif, what_if
from spark.jobs.demo import make_store
from tests.bench.stopwatch import Jobs, fleet_bench, write_trials

STRATEGIES = ("current", "range", "cooperative-sticky", "uniform", "optimal")


def jobs_of(spark: SparkSession, folder: Path, groups: int, options: argparse.Namespace) -> Jobs:
    store = str(folder / "store")
    make_store(groups, store, history=False)

    def compare() -> None:
        comparison = compare_fleet(FleetSnapshot.read(spark, store), STRATEGIES)
        write_trials(spark, folder / "compare", "comparison", comparison, fleet_of)

    def whatif(event: str) -> None:
        rows = what_if(FleetSnapshot.read(spark, store), [event], STRATEGIES)
        write_trials(spark, folder / "whatif", "whatif", rows, fleet_of_whatif)

    events = options.event or ["crash-rack=eu-west-a"]
    return {"compare": compare, **{f"whatif {event}": partial(whatif, event) for event in events}}


if __name__ == "__main__":
    event = {
        "action": "append",
        "help": "crash-rack=eu-west-a, say; repeatable, each is tried alone",
    }
    fleet_bench(__doc__, jobs_of, sizes=(2_000,), runs=1, event=event)
