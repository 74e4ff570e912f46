"""Times an audit on fleets of equal groups, beside R and a plan, in one session.

R is the data movement that any plan needs: see stopwatch.py. The fleet of equal groups has only the
tables that a plan needs. The demo's, which is audited beside it, has them all, brokers, racks and
offsets too, and an earlier snapshot. Its first findings are written.

    python -m tests.bench.audit_fleet --groups 20000 --json audit_fleet.json
"""

import argparse
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from spark import FleetSnapshot, audit_fleet
from spark.jobs.demo import make_store
from tests.bench.equal_groups import equal_groups
from tests.bench.stopwatch import Jobs, fleet_bench, movement, plan, stored


def jobs_of(spark: SparkSession, folder: Path, groups: int, _: argparse.Namespace) -> Jobs:
    store, demo = stored(equal_groups(groups), folder / "store"), folder / "demo"
    make_store(groups, str(demo), history=False)
    return {
        "R": partial(movement, spark, store, folder / "movement"),
        "plan": partial(plan, spark, store, folder / "plan"),
        "audit": partial(_audit, spark, store, folder / "audit"),
        "audit, all tables, two snapshots": partial(_audit, spark, demo, folder / "audit", True),
    }


def _audit(spark: SparkSession, store: Path, out: Path, looks_back: bool = False) -> None:
    fleet = FleetSnapshot.read(spark, str(store))
    with audit_fleet(fleet, fleet.before() if looks_back else None) as audit:
        audit.groups()
        audit.findings.write.mode("overwrite").parquet(str(out))


if __name__ == "__main__":
    fleet_bench(__doc__, jobs_of)
