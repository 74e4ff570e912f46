"""Times the report of a fleet of equal groups beside the audit that it shows, in one session.

What the page weighs, and what Python on the driver had at most, are told for each size: neither
may grow with the fleet.

    python tests/bench/report_fleet.py --groups 5000 --groups 20000 --json report_fleet.json
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession
from stopwatch import SNAPSHOT, Stopwatch, benchmark, options_of
from uniform_fleet import uniform_fleet

from spark import AuditSettings, FleetSnapshot, Settings, audit_fleet
from spark.fleet.local_store import write_store
from spark.jobs.report import Paper, write_report
from spark.report import Results, material_of
from spark.report.gather import FINDINGS_SHOWN


def main() -> None:
    options = options_of(__doc__, runs=3).parse_args()

    def prepare(spark: SparkSession, folder: Path, groups: int) -> Callable[[Stopwatch], None]:
        store, page = folder / f"store-{groups}", folder / f"report-{groups}.html"
        tables = uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1)
        write_store(tables, store, SNAPSHOT)
        del tables

        def run(timed: Stopwatch) -> None:
            with timed("audit"):
                _audit(spark, store)
            with timed("report"):
                _report(spark, store, page)
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{groups} groups: {page.stat().st_size:,} bytes, {most} MiB at most")

        return run

    benchmark(options, prepare, sizes=(5_000, 20_000))


def _audit(spark: SparkSession, store: Path) -> None:
    with audit_fleet(FleetSnapshot.read(spark, str(store))) as made:
        made.counts()
        made.worst(FINDINGS_SHOWN)


def _report(spark: SparkSession, store: Path, page: Path) -> None:
    fleet = FleetSnapshot.read(spark, str(store))
    nothing = Results()
    reports = (Settings(), AuditSettings(), "Fleet", str(store))
    write_report(material_of(spark, fleet, nothing, *reports), page, Paper.HTML)


if __name__ == "__main__":
    main()
