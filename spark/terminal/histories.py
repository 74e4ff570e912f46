"""Options of commands about many snapshots, and the history that they lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from pyspark.sql import SparkSession

from spark.errors import InputError
from spark.fleet import Part, time_of
from spark.settings import Settings, duration
from spark.store import Where
from spark.terminal.console import say
from spark.terminal.options import NoSuchPartError, option
from spark.terminal.printing import Table
from spark.terminal.progress import busy
from spark.text import did_you_mean, named

if TYPE_CHECKING:
    from spark.history import FleetHistory

Held = Mapping[str, Sequence[str]]
"""The snapshots of each cluster, oldest first."""

Since = Annotated[
    str | None,
    option("First snapshot: its id, or a duration before the last one such as 7d.", shown="all"),
]
Until = Annotated[str | None, option("Last snapshot: its id.", shown="newest")]


def since_in(text: str | None) -> str | timedelta | None:
    """What --since names; InputError if it is neither an id nor a duration."""
    if text is None or time_of(text):
        return text
    try:
        return duration(text)
    except ValueError:
        raise InputError(
            f"--since {text!r} is neither an id such as 20261121T060000Z nor a duration such as "
            "7d or 12h"
        ) from None


def read_history(
    session: SparkSession,
    store: Where,
    doing: str,
    since: str | timedelta | None,
    until: str | None,
    part: Part,
    settings: Settings,
) -> FleetHistory:
    """The snapshots of a time, or of part of the fleet, and prints what was left out of them.

    InputError if there is none, NoSuchPartError if they have nothing of that part.
    """
    from spark.history import FleetHistory  # noqa: PLC0415 - most commands need none, nor pandas

    if isinstance(since, str) and until and until < since:
        raise InputError(f"--until {until} is before --since {since}")
    session.sparkContext.setJobDescription(f"evenfleet {doing}: reading {store}")
    with busy("reading the snapshots"):
        history = FleetHistory.read(session, store, since, until, settings.max_age)
    for note in history.notes:
        say(note)
    session.sparkContext.setJobDescription(f"evenfleet {doing}: up to {history.snapshots[-1]}")
    if part.cluster is not None and part.cluster not in history.timeline.snapshots:
        listed = named("cluster", history.timeline.snapshots)
        near = did_you_mean(part.cluster, history.timeline.snapshots)
        raise NoSuchPartError(
            f"no snapshot of that time has {part.cluster!r}: there is {listed}{near}"
        )
    selection = history.matching(*part) if part else history
    if part.group is not None and not selection.has_groups():
        raise NoSuchPartError(f"no snapshot of that time has {part}")
    return selection


def say_snapshots(held: Held) -> None:
    """Say which snapshots of which clusters were read; those of the same ones in one breath."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for cluster, snapshots in held.items():
        alike.setdefault(tuple(snapshots), []).append(cluster)
    for snapshots, clusters in alike.items():
        span = f"{len(snapshots)} snapshots from {snapshots[0]} to {snapshots[-1]}"
        read = f"snapshot {snapshots[0]}" if len(snapshots) == 1 else span
        say(f"Read {read}: {named('cluster', clusters)}.")


def snapshots_read(held: Held) -> dict[str, Table]:
    """For programs: a row a cluster, with its first and last snapshot and how many there are."""
    rows = [
        {"cluster": cluster, "first": items[0], "last": items[-1], "snapshots": len(items)}
        for cluster, items in held.items()
    ]
    return {"clusters": Table(rows, is_shown=False)}
