"""Bundles of options about fleets in a store: a part, an instant, a group, a time.

A command takes such a bundle as one parameter; `for_typer` makes an option of each of its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pyspark.sql import DataFrame, SparkSession

from optimizer.figures import did_you_mean
from spark.errors import InputError, UnreadableError
from spark.fleet import FleetFiles, FleetSnapshot, Part, near_miss, skipped_sentence, time_of, whole
from spark.settings import Settings, duration
from spark.store import Folder, Opener, Where
from spark.terminal.console import say, say_all
from spark.terminal.options import one_of, option, snapshot_option
from spark.terminal.stores import NoSuchPartError, StoreOptions, read_with_notes
from spark.text import list_of

if TYPE_CHECKING:
    from spark.history import FleetHistory

T = TypeVar("T")

ALL = "all"

Snapshot = Annotated[str | None, snapshot_option("the newest of each cluster")]
Until = Annotated[str | None, option("Last snapshot: its id.", shown="newest")]


@dataclass(frozen=True, kw_only=True)
class PlannedOptions(StoreOptions):
    """A store and a plan of it."""

    plan: Annotated[str | None, typer.Argument(help="Folder that `plan` wrote.")] = None
    plan_tables: Annotated[
        str | None, option("Tables that `plan` wrote, instead of PLAN.", metavar="CATALOG.SCHEMA")
    ] = None

    def __post_init__(self) -> None:
        """With --tables the argument is the plan, if there is one alone."""
        if self.tables and self.store and self.plan is None and not self.plan_tables:
            object.__setattr__(self, "plan", self.store)
            object.__setattr__(self, "store", None)
        super().__post_init__()

    @cached_property
    def plan_place(self) -> Where:
        """The plan; InputError unless one is named."""
        plan = one_of(self.plan, self.plan_tables, "PLAN", "--plan-tables")
        if plan is None:
            raise InputError("name a PLAN, or --plan-tables CATALOG.SCHEMA")
        return plan


@dataclass(frozen=True, kw_only=True)
class PartOptions(StoreOptions):
    """Part of a store's fleet."""

    cluster: Annotated[str | None, option("Only this cluster.", shown="all")] = None
    group: Annotated[
        str | None, option("Only groups that match a pattern (`*`, `?`).", shown="all")
    ] = None
    team: Annotated[
        str | None, option("Only groups of this [[team]] of --config.", shown="all")
    ] = None

    @property
    def part(self) -> Part:
        """The part that options choose; InputError for a team that the settings don't have."""
        teams = self.settings.teams
        names = [team.name for team in teams]
        if self.team is not None and self.team not in names:
            listed = list_of("team", names) if names else "no [[team]]: name a file with --config"
            hint = did_you_mean(self.team, names)
            raise InputError(f"no team {self.team!r}: the settings have {listed}{hint}")
        before = len(names) - names[::-1].index(self.team) if self.team else 0
        return Part(self.cluster, self.group, teams[:before])


def part_of(fleet: FleetSnapshot, part: Part) -> FleetSnapshot:
    """The part of a fleet that options choose; NoSuchPartError if there is nothing in it."""
    if not part:
        return fleet
    if part.cluster is not None and part.cluster not in fleet.instants:
        listed = list_of("cluster", fleet.instants)
        raise NoSuchPartError(
            f"snapshot {fleet.id} has no cluster {part.cluster!r}: it has {listed}"
            f"{did_you_mean(part.cluster, fleet.instants)}"
        )
    matching = fleet.matching(*part)
    if not matching.has_groups():
        near = near_miss(fleet, "group", part.group, part.cluster) if part.group else ""
        raise NoSuchPartError(f"snapshot {fleet.id} has no {part}{near}")
    return matching


@dataclass(frozen=True, kw_only=True)
class SnapshotOptions(StoreOptions):
    """A fleet at one instant."""

    snapshot: Snapshot = None

    def fleet(self, session: SparkSession) -> FleetSnapshot:
        """The fleet by Spark; prints what was left out of it."""
        return self.fleet_at(self.snapshot, session)

    def few(self, opener: Opener) -> FleetSnapshot | FleetFiles:
        """The fleet, of which few rows are needed; prints what was left out of it."""
        if not isinstance(opener, Folder):
            return self.fleet(opener)
        options = self.snapshot, self.settings.max_age, opener
        return read_with_notes(partial(FleetFiles.read, str(self.where), *options))


@dataclass(frozen=True, kw_only=True)
class FleetOptions(SnapshotOptions, PartOptions):
    """Part of a fleet at one instant."""

    def read(self, session: SparkSession) -> FleetSnapshot:
        """The part that options choose; NoSuchPartError if there is nothing in it."""
        return part_of(self.fleet(session), self.part)


@dataclass(frozen=True, kw_only=True)
class FleetsOptions(PartOptions):
    """Part of a fleet at one instant, or at each."""

    snapshot: Annotated[str | None, option("Id, or `all`.", shown="the newest of each cluster")] = (
        None
    )

    @property
    def single_snapshot(self) -> str | None:
        """The snapshot that is asked for; None is the newest, or each."""
        return None if self.snapshot == ALL else self.snapshot

    def prefix(self, fleet: FleetSnapshot) -> str:
        """The words that tell the answer on this snapshot from those on others."""
        return f"Snapshot {fleet.id}: " if self.snapshot == ALL else ""

    def each(
        self, session: SparkSession, done: str, work: Callable[[FleetSnapshot], T]
    ) -> tuple[list[T], InputError | None]:
        """Results of `work` on one snapshot, or on all of them, and the errors of others.

        `done` says in a sentence what was to be done: `planned`. Of one snapshot alone an error is
        raised at once; where several are there, those that can't be read don't stop the others, and
        those that have nothing of the part are passed over. InputError if all are.
        """
        snapshots: Sequence[str | None] = [self.snapshot]
        if self.snapshot == ALL:
            stored = whole(session, self.where)
            snapshots = stored.whole
            say_all(skipped_sentence(skipped, why) for skipped, why in stored.unfinished.items())
        answers, broken = [], []
        for snapshot in snapshots:
            try:
                answers.append(work(part_of(self.fleet_at(snapshot, session), self.part)))
            except (NoSuchPartError, UnreadableError) as error:
                if len(snapshots) == 1:
                    raise
                if isinstance(error, NoSuchPartError):
                    say(f"Skipped: {error}")
                else:
                    broken.append(str(error))
        if not answers and not broken:
            raise InputError(f"no snapshot of store {self.where} has {self.part}")
        if not broken:
            return answers, None
        return answers, InputError(
            f"{len(answers)} of {len(snapshots)} snapshots are {done}, the others can't be read: "
            f"{'; '.join(broken)}"
        )


@dataclass(frozen=True, kw_only=True)
class GroupOptions(SnapshotOptions):
    """One group."""

    group: Annotated[str, option("Name of the group.")]
    cluster: Annotated[
        str | None, option("Its cluster.", shown="the only one with such a group")
    ] = None

    @contextmanager
    def open_with_rates(
        self, settings: Settings
    ) -> Iterator[tuple[FleetSnapshot | FleetFiles, DataFrame | None]]:
        """The fleet, and the rates that goals ask for: for lag or rates it is Spark that reads."""
        if settings.goals.need_spark:
            with self.session(self.snapshot) as session:
                fleet = self.fleet(session)
                with self.weights(session, settings, fleet.id) as rates:
                    yield fleet, rates
        else:
            with self.opener() as opener:
                yield self.few(opener), None


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(PartOptions):
    """Part of a fleet through many snapshots."""

    since: Annotated[
        str | None,
        option(
            "First snapshot: its id, or a duration before the last one such as 7d.", shown="all"
        ),
    ] = None
    until: Until = None

    def check(self) -> None:
        """InputError for what `--since` can't be."""
        since_in(self.since)

    def read(self, session: SparkSession) -> FleetHistory:
        """The snapshots; prints what was left out of them."""
        return self.history(session, since_in(self.since), self.until, self.part)


def since_in(text: str | None) -> str | timedelta | None:
    """The id or duration that --since names; InputError if it is neither an id nor a duration."""
    if text is None or time_of(text):
        return text
    try:
        return duration(text)
    except ValueError:
        raise InputError(
            f"--since {text!r} is neither an id such as 20261121T060000Z nor a duration such as "
            "7d or 12h"
        ) from None
