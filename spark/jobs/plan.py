"""`evenfleet plan`: plan a fleet and write the plan."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark import FleetSnapshot, plan_fleet, snapshots
from spark.console import Format, busy, say, show
from spark.output import check_writable

ALL = "all"


def plan(
    session: SparkSession, store: str, out: str, snapshot: str | None, strategy: str, form: Format
) -> None:
    """Plan one snapshot, or all of them, and print what changes."""
    check_writable(out)
    for chosen in snapshots(session, store) if snapshot == ALL else [snapshot]:
        _plan_one(session, store, out, chosen, strategy, form)


def _plan_one(
    session: SparkSession, store: str, out: str, snapshot: str | None, strategy: str, form: Format
) -> None:
    with busy("reading the snapshot"):
        fleet = FleetSnapshot.read(session, store, snapshot)
    for note in fleet.notes:
        say(note)
    session.sparkContext.setJobDescription(f"evenfleet plan {fleet.id}: {strategy}")
    with plan_fleet(fleet, strategy) as made:
        with busy(f"planning snapshot {fleet.id}"):
            made.write(out)
        by_status, before_and_after = made.summary()
    show({"fleet": before_and_after, "groups": by_status}, form)
    say(f"Snapshot {fleet.id} is planned by {strategy}: see {out}/assignments and {out}/groups.")
