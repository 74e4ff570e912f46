"""Options of commands that read many snapshots, and the history that they lead to."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark.errors import InputError
from spark.files import Where
from spark.fleet import Part, snapshot_id
from spark.history import FleetHistory
from spark.settings import Settings, duration
from spark.terminal.console import busy, say
from spark.terminal.options import NoSuchPartError
from spark.wording import named

Since = Annotated[
    str | None,
    typer.Option(
        help="Only from this snapshot on, or so far back from the last: 7d, 24h.",
        show_default="the first",
    ),
]
Until = Annotated[
    str | None, typer.Option(help="Only up to this snapshot.", show_default="the last")
]


def reach_back(since: str | None) -> str | timedelta | None:
    """An id, or the length of time that `--since` says; InputError if it can be neither."""
    if since is None:
        return None
    try:
        return duration(since)
    except ValueError:
        return snapshot_id(since)


def read_history(
    session: SparkSession,
    store: Where,
    since: str | None,
    until: str | None,
    part: Part,
    settings: Settings,
) -> FleetHistory:
    """The history that options choose, saying what was left out of it.

    InputError if there is none, NoSuchPartError if it has nothing of what is chosen.
    """
    start = reach_back(since)
    if isinstance(start, str) and until and until < start:
        raise InputError(f"--until {until} is before --since {start}")
    with busy("reading the snapshots"):
        found = FleetHistory.read(session, store, start, until, settings.max_age)
    for note in found.notes:
        say(note)
    if part.cluster is not None and part.cluster not in found.timeline.snapshots:
        there = named("cluster", found.timeline.snapshots)
        raise NoSuchPartError(f"no snapshot has cluster {part.cluster!r}: they have {there}")
    chosen = found.matching(*part) if part else found
    if part.group is not None and not chosen.has_groups():
        raise NoSuchPartError(f"no snapshot has {part}")
    return chosen


def say_history(history: FleetHistory) -> None:
    """Say which snapshots of which clusters were read."""
    for cluster, ids in history.timeline.snapshots.items():
        span = ids[0] if len(ids) == 1 else f"{len(ids)} snapshots from {ids[0]} to {ids[-1]}"
        say(f"Read of cluster {cluster}: {span}.")
