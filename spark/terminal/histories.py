"""Options of commands about many snapshots, and the history that they lead to."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark.errors import InputError
from spark.files import Where
from spark.fleet import Part, time_of
from spark.history import FleetHistory
from spark.settings import Settings, duration
from spark.terminal.console import busy, say
from spark.terminal.options import NoSuchPartError
from spark.wording import named

Since = Annotated[
    str | None,
    typer.Option(
        help="Id of the first snapshot, or how far to reach back from the last, such as 7d or 12h.",
        show_default="all",
    ),
]
Until = Annotated[str | None, typer.Option(help="Id of the last snapshot.", show_default="newest")]


def since_in(stated: str | None) -> str | timedelta | None:
    """What --since names; InputError if it is neither an id nor a length of time."""
    if stated is None or time_of(stated):
        return stated
    try:
        return duration(stated)
    except ValueError:
        raise InputError(
            f"--since {stated!r} is neither an id like 20261121T060000Z nor a length of time such "
            "as 7d or 12h"
        ) from None


def read_history(
    session: SparkSession,
    store: Where,
    since: str | timedelta | None,
    until: str | None,
    part: Part,
    settings: Settings,
) -> FleetHistory:
    """The snapshots of a time, or of part of the fleet, and what was left out of them is said.

    InputError if there is none, NoSuchPartError if they have nothing of that part.
    """
    if isinstance(since, str) and until and until < since:
        raise InputError(f"--until {until} is before --since {since}")
    with busy("reading the snapshots"):
        history = FleetHistory.read(session, store, since, until, settings.max_age)
    for note in history.notes:
        say(note)
    if part.cluster is not None and part.cluster not in history.timeline.snapshots:
        there = named("cluster", history.timeline.snapshots)
        raise NoSuchPartError(f"no snapshot of that time has {part.cluster!r}: there is {there}")
    chosen = history.matching(*part) if part else history
    if part.group is not None and not chosen.has_groups():
        raise NoSuchPartError(f"no snapshot of that time has {part}")
    return chosen


def say_history(history: FleetHistory) -> None:
    """Say which snapshots of which clusters were taken."""
    ids, of_cluster = history.snapshots, history.timeline.snapshots
    taken = f"{len(ids)} snapshots from {ids[0]} to {ids[-1]}" if len(ids) > 1 else ids[0]
    lacking = sum(len(some) < len(ids) for some in of_cluster.values())
    said = f", of which {lacking} lack some of them" if lacking else ""
    say(f"Read {taken}: {named('cluster', of_cluster)}{said}.")
