"""`evenfleet compare`: what each strategy would do to a fleet."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from spark import compare_fleet, fleet_of
from spark.console import Format, as_rows, busy, say, show
from spark.jobs.reading import read_snapshot
from spark.output import check_writable
from spark.store import write_table

HIDDEN = ("without_plan", "sum_squares")


def compare(
    session: SparkSession,
    store: str,
    out: str,
    snapshot: str | None,
    strategies: Sequence[str],
    form: Format,
) -> None:
    """Measure all groups under all strategies, write both tables, print the fleet's."""
    check_writable(out)
    fleet = read_snapshot(session, store, snapshot, "compare")
    comparison = compare_fleet(fleet, strategies).persist()
    try:
        with busy(f"comparing strategies on snapshot {fleet.id}"):
            table = fleet_of(comparison)
            shown = as_rows(table.collect())
            rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
            write_table(rows, out, "comparison", fleet.id)
            write_table(table.coalesce(1), out, "fleet", fleet.id)
    finally:
        comparison.unpersist()
    show({"strategies": shown}, form, HIDDEN)
    say(
        f"Snapshot {fleet.id}: each group under each strategy is in {out}/comparison, "
        f"this table in {out}/fleet."
    )
