"""`evenfleet compare`: what each strategy would do to a fleet."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from spark import FleetSnapshot, compare_fleet, fleet_of
from spark.console import Format, as_rows, busy, say, show
from spark.output import check_writable, write_partitioned

SHOWN = ("strategy", "groups", "unbalanced", "worst_max_to_mean", "excess", "moves", "takeovers")


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
    with busy("reading the snapshot"):
        fleet = FleetSnapshot.read(session, store, snapshot)
    session.sparkContext.setJobDescription(f"evenfleet compare {fleet.id}")
    comparison = compare_fleet(fleet, strategies).persist()
    try:
        with busy(f"comparing strategies on snapshot {fleet.id}"):
            rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
            write_partitioned(rows, out, "comparison", fleet.id)
            table = fleet_of(comparison)
            write_partitioned(table.coalesce(1), out, "fleet", fleet.id)
        show({"strategies": as_rows(table.collect())}, form, SHOWN)
    finally:
        comparison.unpersist()
    say(
        f"Snapshot {fleet.id}: each group under each strategy is in {out}/comparison, "
        f"this table in {out}/fleet."
    )
