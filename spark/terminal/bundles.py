"""Bundles of options that several commands have, and what they lead to.

A command takes a bundle as one parameter; `for_typer` makes an option of each of its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, TypeVar

from pyspark.sql import DataFrame, SparkSession

from optimizer import STRATEGY_NAMES
from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot, Part
from spark.settings import Settings, check_strategies, read_settings, weight_of
from spark.store import Opener, Where, check_writable
from spark.terminal import options
from spark.terminal.console import say_all
from spark.terminal.histories import Since, Until, read_history, since_in
from spark.terminal.openers import (
    ALL,
    SnapshotOrAll,
    each_snapshot,
    opened,
    opened_store,
    read_subset,
)
from spark.terminal.options import option
from spark.terminal.weights import WeightSource, open_with_rates

if TYPE_CHECKING:
    from spark.history import FleetHistory

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """A store, the settings, and the Spark that reads it."""

    store: options.Store = None
    tables: options.StoreTables = None
    master: options.Master = None
    conf: options.Conf = None
    config: options.Config = None

    def __post_init__(self) -> None:
        """Raise InputError unless one store is named."""
        _ = self.where

    @cached_property
    def where(self) -> Where:
        """The store."""
        return options.store_in(self.store, self.tables)

    @cached_property
    def settings(self) -> Settings:
        """What `--config` says; InputError for what can't be."""
        settings = read_settings(self.config)
        say_all(settings.notes)
        return settings

    def session(
        self, snapshot: str | None = None, many: bool = False
    ) -> AbstractContextManager[SparkSession]:
        """A session that reads the store, or `many` of its snapshots at once."""
        return opened(self.master, self.conf, self.settings, self.where, snapshot, many)

    def fleet_at(self, snapshot: str | None, session: SparkSession, doing: str) -> FleetSnapshot:
        """The fleet at an instant, by Spark; prints what was left out of it."""
        return options.read_snapshot(session, self.where, snapshot, doing, self.settings.max_age)

    def and_plan(self, plan: str | None, plan_tables: str | None) -> tuple[Where, Where]:
        """The store and a plan of it; InputError unless one is named."""
        return options.store_and_plan(self.store, plan, self.tables, plan_tables)

    def opener(self) -> AbstractContextManager[Opener]:
        """What opens the store for few of its rows: Spark only where it has to be."""
        return opened_store(self.where, self.master, self.conf, self.settings)


@dataclass(frozen=True, kw_only=True)
class PartOptions(StoreOptions):
    """Part of a store's fleet."""

    cluster: options.ClusterName = None
    group: options.GroupPattern = None

    @property
    def part(self) -> Part:
        """What options choose."""
        return Part(self.cluster, self.group)


@dataclass(frozen=True, kw_only=True)
class FleetOptions(PartOptions):
    """Part of a fleet at one instant."""

    snapshot: options.Snapshot = None

    def whole(self, session: SparkSession, doing: str) -> FleetSnapshot:
        """All of the fleet; prints what was left out of it."""
        return self.fleet_at(self.snapshot, session, doing)

    def read(self, session: SparkSession, doing: str) -> FleetSnapshot:
        """The part that options choose; NoSuchPartError if there is nothing in it."""
        return options.part_of(self.whole(session, doing), self.part)


@dataclass(frozen=True, kw_only=True)
class FleetsOptions(PartOptions):
    """Part of a fleet at one instant, or at each."""

    snapshot: SnapshotOrAll = None

    @property
    def single_snapshot(self) -> str | None:
        """The snapshot that is asked for; None is the newest, or each."""
        return None if self.snapshot == ALL else self.snapshot

    def each(
        self, session: SparkSession, doing: str, done: str, work: Callable[[FleetSnapshot], T]
    ) -> tuple[list[T], InputError | None]:
        """What `work` makes of each fleet that is asked for: see `each_snapshot`."""

        def of_one(snapshot: str | None) -> T:
            return work(options.part_of(self.fleet_at(snapshot, session, doing), self.part))

        return each_snapshot(session, self.where, self.snapshot, self.part, f"are {done}", of_one)


@dataclass(frozen=True, kw_only=True)
class SnapshotOptions(StoreOptions):
    """A fleet at one instant, of which a command needs few rows."""

    snapshot: options.Snapshot = None

    def fleet(self, session: SparkSession, doing: str) -> FleetSnapshot:
        """The fleet by Spark; prints what was left out of it."""
        return self.fleet_at(self.snapshot, session, doing)

    def few(self, opener: Opener, doing: str) -> FleetSnapshot | FleetFiles:
        """The fleet; prints what was left out of it."""
        return read_subset(opener, self.where, self.snapshot, doing, self.settings.max_age)


@dataclass(frozen=True, kw_only=True)
class GroupOptions(SnapshotOptions):
    """One group."""

    group: options.GroupName
    cluster: options.ItsCluster = None

    def weighed(
        self, doing: str, settings: Settings
    ) -> AbstractContextManager[tuple[FleetSnapshot | FleetFiles, DataFrame | None]]:
        """The fleet, and the rates that goals ask for."""
        return open_with_rates(self.where, self.snapshot, doing, settings, self.master, self.conf)


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(PartOptions):
    """Part of a fleet through many snapshots."""

    since: Since = None
    until: Until = None

    def check(self) -> None:
        """InputError for what `--since` can't be."""
        since_in(self.since)

    def read(self, session: SparkSession, doing: str) -> FleetHistory:
        """The snapshots; prints what was left out of them."""
        first = since_in(self.since)
        return read_history(session, self.where, doing, first, self.until, self.part, self.settings)


@dataclass(frozen=True, kw_only=True)
class OutOptions:
    """Where a result goes."""

    out: options.Out = None
    out_tables: options.OutTables = None

    def optional(self) -> Where | None:
        """The place, which can be written to, or None; InputError if it can't, or two are named."""
        result = options.one_of(self.out, self.out_tables, "--out", "--out-tables")
        if result is not None:
            check_writable(result)
        return result

    def required(self) -> Where:
        """The same; InputError where none is named."""
        optional = self.optional()
        if optional is None:
            raise InputError(
                "say where the result goes: --out FOLDER, or --out-tables CATALOG.SCHEMA"
            )
        return optional


@dataclass(frozen=True, kw_only=True)
class GoalOptions:
    """What makes one assignment better than another."""

    goal: options.GoalTexts = None
    rack: options.Rack = None
    levels: options.Levels = None
    min_gain: options.MinGain = None
    weight: WeightSource = None

    def applied(self, settings: Settings) -> Settings:
        """The settings with the goals that options state; InputError tells what can't be."""
        result = options.with_goals(settings, self.goal, self.rack, self.levels, self.min_gain)
        if self.weight is None:
            return result
        source, rates = weight_of(self.weight, settings.weights)
        goals = result.goals.overridden(balance="weight", weight=source)
        return replace(result, goals=goals, weights=rates)

    def check_limits(self, idle: Sequence[str]) -> None:
        """Say which limits nothing fits; InputError where all that options state are such."""
        limits = options.with_goals(Settings(), self.goal, None, None, None).goals.limits_in_words()
        if limits and set(limits) <= set(idle):
            raise InputError(
                f"no member or partition fits the limits of --goal ({'; '.join(limits)}): look at "
                "their names in `evenfleet explain`"
            )
        say_all(f"No member or partition fits a limit: {text}." for text in idle)


@dataclass(frozen=True, kw_only=True)
class TrialOptions(GoalOptions):
    """The strategies that are tried, and the goals of those that have some."""

    strategies: Annotated[
        str | None,
        option(
            f"Names, separated by commas: current, {', '.join(STRATEGY_NAMES)}; your own as "
            "package:function.",
            shown="as configured",
        ),
    ] = None

    def applied(self, settings: Settings, usual: Sequence[str] = ()) -> Settings:
        """The same with these strategies, or else those that are configured or `usual`."""
        named = self.strategies.split(",") if self.strategies else settings.strategies or usual
        tried = tuple(check_strategies(named))
        return replace(super().applied(settings), strategies=tried)
