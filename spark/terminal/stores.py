"""The options of a store, and what commands read of it: sessions, fleets, rates, histories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pyspark.sql import DataFrame, SparkSession, functions as F

from optimizer.figures import did_you_mean
from spark.errors import InputError
from spark.fleet import (
    WHOLE,
    FleetFiles,
    FleetSnapshot,
    Part,
    whole,
)
from spark.settings import Settings, read_settings
from spark.startup.java_process import by_submit
from spark.startup.quick_start import size_of
from spark.store import (
    DEFAULT_FS,
    Folder,
    Opener,
    UnopenableError,
    Where,
    open_folder,
)
from spark.terminal.console import say_all
from spark.terminal.options import Conf, Config, Master, one_of, option
from spark.terminal.progress import busy
from spark.terminal.session import check_master, session as start
from spark.text import as_sentence, list_of

if TYPE_CHECKING:
    from spark.history import FleetHistory, FleetRates

Fleet = TypeVar("Fleet", FleetSnapshot, FleetFiles)


class NoSuchPartError(InputError):
    """A fleet has nothing of what options choose."""


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """A store, the settings, and the Spark that reads it."""

    store: Annotated[str | None, typer.Argument(help="Folder of snapshots.")] = None
    tables: Annotated[
        str | None, option("Tables of snapshots, instead of STORE.", metavar="CATALOG.SCHEMA")
    ] = None
    master: Master = None
    conf: Conf = None
    config: Config = None

    def __post_init__(self) -> None:
        """Raise InputError unless one store is named."""
        _ = self.where

    @cached_property
    def where(self) -> Where:
        """The store."""
        place = one_of(self.store, self.tables, "STORE", "--tables")
        if place is None:
            raise InputError("name a STORE, or --tables CATALOG.SCHEMA")
        return place

    @cached_property
    def settings(self) -> Settings:
        """The settings of `--config`; InputError for what can't be."""
        settings = read_settings(self.config)
        say_all(settings.notes)
        return settings

    @cached_property
    def of_spark(self) -> dict[str, str]:
        """Spark's settings of the configuration file and of options, which win."""
        wrong = [text for text in self.conf or [] if text.find("=") < 1]
        if wrong:
            raise InputError(f"--conf {wrong[0]!r} is not of the form KEY=VALUE")
        options = self.settings.spark | dict(text.split("=", 1) for text in self.conf or [])
        check_master(self.master)
        return options

    def _folder_here(self) -> Folder | None:
        """The folder of this machine that is meant, if it is one."""
        if isinstance(self.where, str) and not by_submit():
            with suppress(UnopenableError):
                place = open_folder(self.where, default_fs(self.of_spark))
                return place if place.is_local else None
        return None

    @contextmanager
    def session(self, snapshot: str | None = None, many: bool = False) -> Iterator[SparkSession]:
        """A session that reads the store, or `many` of its snapshots at once.

        What it can't read of `snapshot`, the one that is asked for, is an error before it starts.
        """
        of_spark = self.of_spark
        if place := self._folder_here():
            whole(place, self.where, snapshot)
        with start(self.master, of_spark, size_of(self.where, many)) as spark:
            yield spark

    @contextmanager
    def opener(self) -> Iterator[Opener]:
        """The opener of the store for few of its rows: Spark only for a catalog.

        Under spark-submit it is there already, and knows how object stores are reached.
        """
        of_spark = self.of_spark
        if isinstance(self.where, str) and not by_submit():
            yield open_folder(self.where, default_fs(of_spark), of_spark.get)
        else:
            with start(self.master, of_spark) as spark:
                yield spark

    def fleet_at(self, snapshot: str | None, session: SparkSession) -> FleetSnapshot:
        """The fleet at the newest instant, or one snapshot, by Spark; prints what was left out."""
        age = self.settings.max_age
        return read_with_notes(partial(FleetSnapshot.read, session, self.where, snapshot, age))

    def history(
        self,
        session: SparkSession,
        since: str | timedelta | None,
        until: str | None,
        part: Part = WHOLE,
    ) -> FleetHistory:
        """The snapshots of a time, or of part of the fleet; prints what was left out of them.

        InputError if there is none, NoSuchPartError if they have nothing of that part.
        """
        from spark.history import FleetHistory  # noqa: PLC0415 - most commands need none

        if isinstance(since, str) and until and until < since:
            raise InputError(f"--until {until} is before --since {since}")
        with busy("reading the snapshots"):
            age = self.settings.max_age
            history = FleetHistory.read(session, self.where, since, until, age)
        say_all(history.notes)
        clusters = history.timeline.snapshots
        if part.cluster is not None and part.cluster not in clusters:
            raise NoSuchPartError(
                f"no snapshot of that time has {part.cluster!r}: there is "
                f"{list_of('cluster', clusters)}{did_you_mean(part.cluster, clusters)}"
            )
        of_part = history.matching(*part) if part else history
        if part.group is not None and not of_part.has_groups():
            raise NoSuchPartError(f"no snapshot of that time has {part}")
        return of_part

    @contextmanager
    def weights(
        self, session: SparkSession, settings: Settings, until: str | None = None
    ) -> Iterator[DataFrame | None]:
        """The rates that goals ask for (cluster, topic, partition, weight); None if they don't."""
        if "rate" not in settings.goals.weights:
            yield None
            return
        wanted = settings.weights
        since = wanted.window + settings.max_age
        with self.history(session, since, until) as history:
            rates = history.rates(wanted.window, wanted.quantile, claims=False).rates
            weighed = rates.select(
                *("cluster", "topic", "partition"),
                F.col(wanted.measure).cast("double").alias("weight"),
            ).persist()
            try:
                yield weighed
            finally:
                weighed.unpersist()

    @contextmanager
    def rates(
        self,
        session: SparkSession,
        fleet: FleetSnapshot,
        window: timedelta,
        most: int | None = None,
    ) -> Iterator[FleetRates | None]:
        """Rates of a fleet up to that instant, where the store has enough for any.

        With `most`, of that number of snapshots of each cluster, from the first to the last of the
        window: enough for what comes in on average, and read in no time.
        """
        from spark.history import QUANTILE  # noqa: PLC0415 - most commands need none

        since = window + self.settings.max_age
        try:
            history = self.history(session, since, fleet.id, fleet.part)
            history = history if most is None else history.spaced(window, most)
            rates = history.rates(window, QUANTILE)
        except InputError:
            yield None
            return
        with history:
            enough = any(len(snapshot) > 1 for snapshot in rates.window.snapshots.values())
            say_all(map(as_sentence, rates.notes if enough else ()))
            yield rates if enough else None


def default_fs(of_spark: Mapping[str, str]) -> str:
    """The file system that a path without a scheme is of, as Spark would see it."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (home and f"{home}/conf")
    defaults = Path(folder or os.devnull, "spark-defaults.conf")
    lines = defaults.read_text("utf-8", "replace").splitlines() if defaults.is_file() else []
    words = [line.replace("=", " ", 1).split(maxsplit=1) for line in lines]
    in_file = {pair[0]: pair[1].strip() for pair in words if len(pair) == 2}
    return of_spark.get(DEFAULT_FS) or in_file.get(DEFAULT_FS) or "file:"


def read_with_notes(read: Callable[[], Fleet]) -> Fleet:
    """Read a fleet, and say what was left out of it."""
    with busy("reading the snapshot"):
        fleet = read()
        fleet = replace(fleet, instants=fleet.clusters())
    say_all(fleet.notes)
    return fleet
