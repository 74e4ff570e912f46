"""How every command begins that works on a snapshot."""

from __future__ import annotations

from pyspark.sql import SparkSession

from spark import FleetSnapshot
from spark.console import busy, say


def read_snapshot(
    session: SparkSession, store: str, snapshot: str | None, doing: str
) -> FleetSnapshot:
    """Read a snapshot, say what was left out, and label the jobs to come in Spark's UI."""
    session.sparkContext.setJobDescription(f"evenfleet {doing}: reading {store}")
    with busy("reading the snapshot"):
        fleet = FleetSnapshot.read(session, store, snapshot)
    for note in fleet.notes:
        say(note)
    session.sparkContext.setJobDescription(f"evenfleet {doing}: snapshot {fleet.id}")
    return fleet
