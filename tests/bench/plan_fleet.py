"""Times `plan` on fleets of equal groups, beside a yardstick, in one session.

R is the data movement that any plan needs: the ownership rows grouped into one sorted array
a group, exploded and written. Tasks and shuffled MB show how the cost grows with the fleet.

    python -m tests.bench.plan_fleet --groups 20000 --groups 5000 --json plan_fleet.json
"""

import argparse
import math
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession, functions as F

from optimizer import Goals
from spark import FleetSnapshot, plan_fleet
from tests.bench.equal_groups import equal_groups
from tests.bench.stopwatch import Jobs, fleet_bench, movement, plan, stored


def jobs_of(spark: SparkSession, folder: Path, groups: int, _: argparse.Namespace) -> Jobs:
    store = stored(equal_groups(groups), folder / "store")
    return {
        "R": partial(movement, spark, store, folder / "movement"),
        "plan": partial(plan, spark, store, folder / "plan"),
        "plan by weight": partial(_plan_by_weight, spark, store, folder / "by-weight"),
    }


def _plan_by_weight(spark: SparkSession, store: Path, out: Path) -> None:
    """The same fleet with lognormal weights, which its groups' plans are to even out."""
    snapshot = FleetSnapshot.read(spark, str(store))
    # Two halves of a hash make a normal number, whatever the order of rows (Box and Muller 1958).
    even, odd = (F.abs(F.xxhash64("topic", "partition", F.lit(n))) / 2.0**63 for n in range(2))
    normal = F.sqrt(-2 * F.log(even + 1e-12)) * F.cos(2 * math.pi * odd)
    partitions = snapshot.tables["partitions"].withColumn("weight", F.exp(normal))
    weighed = replace(snapshot, tables={**snapshot.tables, "partitions": partitions})
    with plan_fleet(weighed, goals=Goals(balance="weight")) as planned:
        planned.write(str(out))


if __name__ == "__main__":
    fleet_bench(__doc__, jobs_of, sizes=(20_000, 5_000))
