"""Options that several commands have, and what they lead to: settings, a session, a snapshot."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pyspark.sql import SparkSession

from optimizer import GoalsError
from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot, Part, near_miss
from spark.settings import Settings, goal_of
from spark.store import CatalogSchema, Where
from spark.terminal.console import say
from spark.terminal.printing import Table
from spark.terminal.progress import busy
from spark.text import did_you_mean, named

CHECK_FAILED = 1
"""Exit code of a command that found what it looks for."""


def snapshot_option(shown: str) -> Any:
    """The option for a snapshot's id; `shown` says which one it is without."""
    return option("Id such as 20261121T060000Z.", shown=shown)


def option(text: str, *names: str, shown: str | None = None, **others: Any) -> Any:
    """An option with this help, called as its parameter unless it has names; flags have no `--no-`.

    `shown` stands for the default in the help.
    """
    return typer.Option(*names, help=text, show_default=shown or True, **others)


Store = Annotated[str | None, typer.Argument(help="Folder of snapshots.")]
StoreTables = Annotated[
    str | None, option("Tables of snapshots, instead of STORE.", metavar="CATALOG.SCHEMA")
]
PlanFolder = Annotated[str | None, typer.Argument(help="Folder that `plan` wrote.")]
PlanTables = Annotated[
    str | None, option("Tables that `plan` wrote, instead of PLAN.", metavar="CATALOG.SCHEMA")
]
Out = Annotated[str | None, option("Folder for the result.")]
OutTables = Annotated[
    str | None, option("Tables for the result, instead of --out.", metavar="CATALOG.SCHEMA")
]
ClusterName = Annotated[str | None, option("Only this cluster.", shown="all")]
GroupPattern = Annotated[
    str | None, option("Only groups that match a pattern (`*`, `?`).", shown="all")
]
Snapshot = Annotated[str | None, snapshot_option("the newest of each cluster")]
Window = Annotated[str, option("Time before each cluster's last snapshot from which rates come.")]
Master = Annotated[str | None, option("Spark master.", shown="all cores of this machine")]
Conf = Annotated[list[str] | None, option("KEY=VALUE for Spark; repeatable.")]
Config = Annotated[Path | None, option("Settings as in conf/evenfleet.toml.")]
MoveCost = Annotated[
    str | None,
    option("Price of a partition that moves: time to rebuild its state (30s), or bytes (2GB)."),
]
Thresholds = Annotated[
    Path | None, option("Thresholds, severities, time-outs as in conf/audit.toml.")
]
GroupName = Annotated[str, option("Name of the group.")]
ItsCluster = Annotated[str | None, option("Its cluster.", shown="the only one with such a group")]


def store_in(store: str | None, tables: str | None) -> Where:
    """What STORE and --tables name; InputError unless it is one of them."""
    result = one_of(store, tables, "STORE", "--tables")
    if result is None:
        raise InputError("name a STORE, or --tables CATALOG.SCHEMA")
    return result


def store_and_plan(
    store: str | None, plan: str | None, tables: str | None, plan_tables: str | None
) -> tuple[Where, Where]:
    """What STORE and PLAN, or options in their place, name; alone, the argument is the other."""
    if tables and store and plan is None and not plan_tables:
        store, plan = None, store
    planned = one_of(plan, plan_tables, "PLAN", "--plan-tables")
    result = store_in(store, tables)
    if planned is None:
        raise InputError("name a PLAN, or --plan-tables CATALOG.SCHEMA")
    return result, planned


def one_of(path: str | None, tables: str | None, *names: str) -> Where | None:
    """What options of these names say, if anything; InputError where both do."""
    if path is not None and tables is not None:
        raise InputError(f"{names[0]} and {names[1]} name two places: leave one of them out")
    return path if tables is None else CatalogSchema(tables)


class RackMeaning(StrEnum):
    """Which replica a member reads."""

    NONE = "none"
    LEADER = "leader"
    ANY = "any"


Rack = Annotated[
    RackMeaning | None,
    option(
        "Read within racks: from the leader, or from any replica (KIP-392).", shown="as configured"
    ),
]
Levels = Annotated[
    str | None,
    option("Priorities after balance, such as `racks,moves,spread`.", shown="as configured"),
]
MinGain = Annotated[
    float | None,
    option(
        "Minimum improvement (partitions) per move; groups below it stay as they are.",
        shown="as configured",
    ),
]


GoalTexts = Annotated[
    list[str] | None,
    option(
        "Any goal of conf/evenfleet.toml, for all groups; repeatable.",
        metavar="KEY=VALUE",
        shown="as configured",
    ),
]


def with_goals(
    settings: Settings,
    texts: list[str] | None,
    rack: RackMeaning | None,
    levels: str | None,
    min_gain: float | None,
) -> Settings:
    """The settings with the goals that options state; InputError tells what can't be.

    An option of its own wins over `--goal`.
    """
    own = {
        "rack": rack and rack.value,
        "levels": levels and [level.strip() for level in levels.split(",")],
        "min_gain": min_gain,
    }
    options: dict[str, Any] = {}
    for key, goal in map(goal_of, texts or ()):
        if key in options:
            raise InputError(f"--goal {key} is given twice: give one value for it")
        options[key] = goal
    options |= {key: value for key, value in own.items() if value is not None}
    try:
        goals = settings.goals.overridden(**options)
    except GoalsError as error:
        raise InputError(str(error)) from None
    return replace(settings, goals=goals)


def read_snapshot(
    session: SparkSession, store: Where, snapshot: str | None, doing: str, max_age: timedelta
) -> FleetSnapshot:
    """The fleet at the newest instant, or one snapshot."""
    read = partial(FleetSnapshot.read, session, store, snapshot, max_age)
    return read_and_report(session, store, doing, read)


def read_and_report(
    session: SparkSession, store: Where, doing: str, read: Callable[[], FleetSnapshot]
) -> FleetSnapshot:
    """Read a fleet, say what was left out of it, and label the jobs to come in Spark's UI."""
    session.sparkContext.setJobDescription(f"evenfleet {doing}: reading {store}")
    fleet = read_with_notes(read)
    session.sparkContext.setJobDescription(f"evenfleet {doing}: snapshot {fleet.id}")
    return fleet


def part_of(fleet: FleetSnapshot, part: Part) -> FleetSnapshot:
    """The part of a fleet that options choose; NoSuchPartError if there is nothing in it."""
    if not part:
        return fleet
    if part.cluster is not None and part.cluster not in fleet.instants:
        listed = named("cluster", fleet.instants)
        raise NoSuchPartError(
            f"snapshot {fleet.id} has no cluster {part.cluster!r}: it has {listed}"
            f"{did_you_mean(part.cluster, fleet.instants)}"
        )
    result = fleet.matching(*part)
    if not result.has_groups():
        near = near_miss(fleet, "group", part.group, part.cluster) if part.group else ""
        raise NoSuchPartError(f"snapshot {fleet.id} has no {part}{near}")
    return result


class NoSuchPartError(InputError):
    """A fleet has nothing of what options choose."""


Fleet = TypeVar("Fleet", FleetSnapshot, FleetFiles)


def read_with_notes(read: Callable[[], Fleet]) -> Fleet:
    """Read a fleet, and say what was left out of it."""
    with busy("reading the snapshot"):
        fleet = read()
        fleet = replace(fleet, instants=fleet.clusters())
    for note in fleet.notes:
        say(note)
    return fleet


def say_clusters(fleet: FleetSnapshot | FleetFiles, changes: Sequence[str] = ()) -> None:
    """Say which clusters were taken from which snapshots, the newest first, and how they changed.

    That is for the end: where a command fails, why is all that it says.
    """
    of: dict[str, list[str]] = {fleet.id: []}
    for cluster, snapshot in sorted(fleet.instants.items(), key=lambda item: item[1], reverse=True):
        of.setdefault(snapshot, []).append(cluster)
    taken = (
        f"snapshot {item}: {named('cluster', clusters) if clusters else 'no cluster'}"
        for item, clusters in of.items()
    )
    say(f"Read {'; '.join(taken)}.")
    for change in (*fleet.changes, *changes):
        say(f"{change}.")


def clusters_read(*fleets: FleetSnapshot | FleetFiles) -> dict[str, Table]:
    """For programs: a row a cluster, and of which snapshot it is; `say_clusters` tells people."""
    rows = [
        {"cluster": cluster, "snapshot": snapshot}
        for fleet in fleets
        for cluster, snapshot in fleet.instants.items()
    ]
    return {"clusters": Table(rows, is_shown=False)}
