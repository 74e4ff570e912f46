"""The histories that commands read, and what they say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark.files import Where
from spark.fleet import Part
from spark.terminal.console import Rows, busy, say
from spark.terminal.options import NoSuchPartError
from spark.wording import named

if TYPE_CHECKING:
    from spark.history import FleetHistory

Held = Mapping[str, Sequence[str]]
"""The snapshots of each cluster, oldest first."""


def read_history(
    session: SparkSession,
    store: Where,
    doing: str,
    since: str | timedelta | None,
    until: str | None,
    max_age: timedelta,
    part: Part,
) -> FleetHistory:
    """The history of a store, or of a part of its fleet; what was left out of it is said.

    NoSuchPartError for a cluster that it doesn't have.
    """
    from spark.history import FleetHistory  # noqa: PLC0415 - most commands need none, nor pandas

    session.sparkContext.setJobDescription(f"evenfleet {doing}: reading {store}")
    with busy("reading the snapshots"):
        history = FleetHistory.read(session, store, since, until, max_age)
    for note in history.notes:
        say(note)
    session.sparkContext.setJobDescription(f"evenfleet {doing}: up to {history.snapshots[-1]}")
    if not part:
        return history
    if part.cluster is not None and part.cluster not in history.timeline.snapshots:
        there = named("cluster", history.timeline.snapshots)
        raise NoSuchPartError(f"store {store} has no cluster {part.cluster!r}: it has {there}")
    return history.matching(*part)


def say_snapshots(held: Held) -> None:
    """Say which snapshots of which clusters were read; those of the same ones in one breath."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for cluster, snapshots in held.items():
        alike.setdefault(tuple(snapshots), []).append(cluster)
    for snapshots, clusters in alike.items():
        span = f"{len(snapshots)} snapshots from {snapshots[0]} to {snapshots[-1]}"
        read = f"snapshot {snapshots[0]}" if len(snapshots) == 1 else span
        say(f"Read {read}: {named('cluster', clusters)}.")


def snapshots_in_json(held: Held) -> Rows:
    """For programs: a row a cluster, with its first and last snapshot and how many there are."""
    return [
        {"cluster": cluster, "first": some[0], "last": some[-1], "snapshots": len(some)}
        for cluster, some in held.items()
    ]
