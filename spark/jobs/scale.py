"""`evenfleet scale`: what autoscalers would have done over recorded time, and what it costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pyspark.sql import SparkSession

from spark import InputError, terminal
from spark.fleet import SCALE, FleetSnapshot, check_out, time_of
from spark.history import FleetRates
from spark.scale import (
    ScaleSettings,
    ScaleTables,
    assumptions_of,
    not_replayed,
    read_scale_settings,
    scale_fleet,
    sentences_of,
    verdict_of,
    what_to_set,
)
from spark.terminal import Table, busy, option, say_all, show

TITLES = {
    "policy": "policy",
    "member_hours": "member hours",
    "late_partition_hours": "late hours",
    "rebalances": "rebalances",
    "meets_slo": "in SLO",
    "cost": "cost",
    "recommended": "best",
}
"""Columns that fit a terminal of 80, by short titles; JSON and the written table have all."""


def scale(
    source: terminal.FleetOptions,
    target: terminal.OutOptions,
    since: Annotated[
        str, option("First snapshot: its id, or a duration before the last one such as 7d.")
    ] = "7d",
    policy: Annotated[
        Path | None, option("TOML file of policies and prices.", shown="five policies")
    ] = None,
) -> None:
    """Replay autoscalers over recorded time, and say what to set."""
    out, settings = target.optional(), source.settings
    scaled = read_scale_settings(policy)
    with source.session(many=True) as spark:
        check_out(spark, out, SCALE)
        fleet = source.read(spark)
        with (
            _rates_since(source, spark, fleet, since) as rates,
            scale_fleet(fleet, rates, scaled, settings.consumers, settings.max_age) as replayed,
        ):
            with busy("replaying policies"):
                tables = replayed.collect()
                if out:
                    replayed.write(out, fleet.id)
            _show(fleet, tables, scaled)
    terminal.say_written(out, "scale", "courses")


@contextmanager
def _rates_since(
    source: terminal.FleetOptions, session: SparkSession, fleet: FleetSnapshot, since: str
) -> Iterator[FleetRates]:
    """Rates of a fleet since a snapshot, or over a time before the fleet's.

    InputError where the snapshot isn't before it, and where there are no rates.
    """
    window = terminal.since_in(since)
    if not isinstance(window, timedelta):
        first, last = time_of(since), time_of(fleet.id)
        if first is None or last is None or first >= last:
            raise InputError(f"--since {since} is not before the snapshot {fleet.id}")
        window = last - first
    with source.rates(session, fleet, window) as rates:
        if rates is None:
            raise InputError(
                f"store {source.where} has no two snapshots with offsets since {since}: rates are "
                "of two; collect again, or choose an earlier --since"
            )
        yield rates


def _show(fleet: FleetSnapshot, tables: ScaleTables, settings: ScaleSettings) -> None:
    terminal.say_answer(verdict_of(tables.groups))
    terminal.print_list("cheapest policy of each group", what_to_set(tables.groups))
    league = [{title: row[name] for name, title in TITLES.items()} for row in tables.league]
    show(
        {
            "policies": Table(tables.league, league, is_detail=True),
            "scale": Table(tables.groups, is_shown=False),
            **terminal.clusters_read(fleet),
        }
    )
    terminal.print_list("assumptions and gaps", assumptions_of(tables.groups), is_detail=True)
    terminal.print_list("not replayed", not_replayed(tables.groups), is_detail=True)
    say_all(sentences_of(tables.groups, settings.prices))
    terminal.say_clusters(fleet)
