"""Times the report of a fleet of equal groups beside the audit that it shows, in one session.

The size of the page, and the most memory that Python on the driver had, stand beside each size:
neither may grow with the fleet.

    python -m tests.bench.report_fleet --groups 5000 --groups 20000 --json report_fleet.json
"""

import argparse
import resource
from pathlib import Path

from pyspark.sql import SparkSession

from spark import AuditSettings, FleetSnapshot, Settings, audit_fleet
from spark.jobs.report import Paper, write_report
from spark.report import Results, material_of
from spark.report.gather import FINDINGS_SHOWN
from tests.bench.equal_groups import equal_groups
from tests.bench.stopwatch import Jobs, Row, fleet_bench, stored


def jobs_of(spark: SparkSession, folder: Path, groups: int, _: argparse.Namespace) -> Jobs:
    store = stored(equal_groups(groups), folder / "store")
    page = folder / "report.html"

    def audit() -> None:
        with audit_fleet(FleetSnapshot.read(spark, str(store))) as made:
            made.counts()
            made.worst(FINDINGS_SHOWN)

    def report() -> Row:
        fleet = FleetSnapshot.read(spark, str(store))
        reports = (Settings(), AuditSettings(), "Fleet", str(store))
        write_report(material_of(spark, fleet, Results(), *reports), page, Paper.HTML)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return {"page_bytes": page.stat().st_size, "memory_mb": most}

    return {"audit": audit, "report": report}


if __name__ == "__main__":
    fleet_bench(__doc__, jobs_of, sizes=(5_000, 20_000))
