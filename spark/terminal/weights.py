"""The option about weights, and the rates that it may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from pyspark.sql import DataFrame, SparkSession, functions as F

from spark.errors import InputError
from spark.fleet import WHOLE, FleetFiles, FleetSnapshot, time_of
from spark.settings import Settings
from spark.store import Where
from spark.terminal.console import say
from spark.terminal.histories import read_history, since_in
from spark.terminal.openers import opened, opened_store, read_subset
from spark.terminal.options import option, read_snapshot
from spark.text import as_sentence

WeightSource = Annotated[
    str | None,
    option(
        "Balance by weight: column (partitions.weight), lag, rate, or rate:p95:24h.",
        metavar="SOURCE",
        shown="as configured",
    ),
]


@contextmanager
def open_with_rates(
    store: Where,
    snapshot: str | None,
    doing: str,
    settings: Settings,
    master: str | None,
    conf: list[str] | None,
) -> Iterator[tuple[FleetSnapshot | FleetFiles, DataFrame | None]]:
    """A fleet for a command that needs few of its rows, and the rates that goals ask for.

    With weights by lag or rates it is Spark that reads.
    """
    if settings.goals.need_spark:
        with opened(master, conf, settings, store, snapshot) as session:
            fleet = read_snapshot(session, store, snapshot, doing, settings.max_age)
            with rates_for(session, store, settings, fleet.id) as rates:
                yield fleet, rates
    else:
        with opened_store(store, master, conf, settings) as opener:
            yield read_subset(opener, store, snapshot, doing, settings.max_age), None


@contextmanager
def rates_for(
    session: SparkSession, store: Where, settings: Settings, until: str | None = None
) -> Iterator[DataFrame | None]:
    """The rates that goals ask for as weights (cluster, topic, partition, weight); None if none."""
    if "rate" not in settings.goals.weights:
        yield None
        return
    wanted = settings.weights
    since = wanted.window + settings.max_age
    with read_history(session, store, "rates", since, until, WHOLE, settings) as history:
        rates = history.rates(wanted.window, wanted.quantile, claims=False).rates
        weighed = rates.select(
            "cluster", "topic", "partition", F.col(wanted.measure).cast("double").alias("weight")
        ).persist()
        try:
            yield weighed
        finally:
            weighed.unpersist()


if TYPE_CHECKING:
    from spark.history import FleetRates


@contextmanager
def optional_rates(
    session: SparkSession,
    store: Where,
    fleet: FleetSnapshot,
    window: timedelta,
    settings: Settings,
    most: int | None = None,
) -> Iterator[FleetRates | None]:
    """Rates of a fleet up to that instant, where the store has enough for any.

    With `most`, of that number of snapshots of each cluster, from the first to the last of the
    window: enough for what comes in on average, and read in no time.
    """
    from spark.history import QUANTILE  # noqa: PLC0415 - most commands need none, nor pandas

    since = window + settings.max_age
    try:
        history = read_history(session, store, "rates", since, fleet.id, fleet.part, settings)
        history = history if most is None else history.spaced(window, most)
        rates = history.rates(window, QUANTILE)
    except InputError:
        yield None
        return
    with history:
        enough = any(len(snapshot) > 1 for snapshot in rates.window.snapshots.values())
        for note in rates.notes if enough else ():
            say(as_sentence(note))
        yield rates if enough else None


@contextmanager
def rates_since(
    session: SparkSession, store: Where, fleet: FleetSnapshot, since: str, settings: Settings
) -> Iterator[FleetRates]:
    """Rates of a fleet since a snapshot, or over a time before the fleet's.

    InputError where the snapshot isn't before it, and where there are no rates.
    """
    with optional_rates(session, store, fleet, _window(since, fleet.id), settings) as rates:
        if rates is None:
            raise InputError(
                f"store {store} has no two snapshots with offsets since {since}: rates are of two; "
                "collect again, or choose an earlier --since"
            )
        yield rates


def _window(since: str, until: str) -> timedelta:
    wanted = since_in(since)
    if isinstance(wanted, timedelta):
        return wanted
    first, last = time_of(since), time_of(until)
    if first is None or last is None or first >= last:
        raise InputError(f"--since {since} is not before the snapshot {until}")
    return last - first
