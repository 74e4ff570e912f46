"""Rates for commands that tell more where a store has enough for any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark.errors import InputError
from spark.files import Where
from spark.fleet import FleetSnapshot
from spark.settings import Settings
from spark.terminal.console import say
from spark.terminal.histories import read_history
from spark.text import as_sentence

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

    With `most`, of so many snapshots of each cluster alone, from the first to the last of the
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
