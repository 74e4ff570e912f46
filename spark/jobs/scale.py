"""`evenfleet scale`: what autoscalers would have done over recorded time, and what it costs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pyspark.sql import SparkSession

from spark import InputError
from spark.files import Where, table_in, write_tables
from spark.fleet import SCALE, FleetSnapshot, check_out, time_of
from spark.history import FleetRates
from spark.scale import (
    FleetScale,
    ScaleSettings,
    fleet_of_scale,
    not_replayed,
    prices_of,
    read_scale_settings,
    resolution_of,
    savings_first,
    scale_fleet,
    verdict_of,
)
from spark.terminal import (
    FleetOptions,
    OutOptions,
    Table,
    as_rows,
    busy,
    clusters_read,
    option,
    optional_rates,
    print_list,
    say,
    say_clusters,
    show,
    since_in,
)

COLUMNS_SHOWN = (
    *("policy", "member_hours", "late_partition_hours", "rebalances", "cost", "cost_over_bound"),
    *("recommended",),
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SENTENCES = 10
"""Groups of which people see what to set: those that save the most."""


def scale(
    source: FleetOptions,
    target: OutOptions,
    since: Annotated[
        str, option("First snapshot: its id, or a duration before the last one such as 7d.")
    ] = "7d",
    policy: Annotated[
        Path | None, option("TOML file of policies and prices.", shown="five policies")
    ] = None,
    search: Annotated[
        bool, option("Try more parameters of each policy (three times slower).")
    ] = False,
) -> None:
    """Replay autoscalers over recorded time, and say what to set."""
    out, settings = target.optional(), source.settings
    scaled = read_scale_settings(policy, search)
    first = since_in(since)
    with source.session(many=True) as spark:
        if out:
            check_out(spark, out, SCALE)
        fleet = source.read(spark, "scale")
        window = first if isinstance(first, timedelta) else _length(str(first), fleet.id)
        with optional_rates(spark, source.where, fleet, window, settings) as rates:
            if rates is None:
                raise InputError(
                    f"store {source.where} has no two snapshots with offsets since {since}: "
                    "rates are of two; collect again, or choose an earlier --since"
                )
            with scale_fleet(fleet, rates, scaled, settings.consumers, settings.max_age) as result:
                _report(spark, fleet, rates, result, scaled, out)


def _length(since: str, until: str) -> timedelta:
    first, last = time_of(since), time_of(until)
    if first is None or last is None or first >= last:
        raise InputError(f"--since {since} is not before the snapshot {until}")
    return last - first


def _report(
    spark: SparkSession,
    fleet: FleetSnapshot,
    rates: FleetRates,
    result: FleetScale,
    settings: ScaleSettings,
    out: Where | None,
) -> None:
    with busy("replaying policies"):
        rows = as_rows(result.groups.orderBy("cluster", "group", "policy").collect())
        league = as_rows(fleet_of_scale(result.groups).collect())
        if out:
            in_order = ("cluster", "group", "policy")
            written = {
                "scale": result.groups.repartition(1).sortWithinPartitions(*in_order),
                "courses": result.courses.repartition(1).sortWithinPartitions(*in_order, "at"),
            }
            write_tables(spark, out, fleet.id, written)
    shown = [{name: row[name] for name in COLUMNS_SHOWN} for row in league]
    tables = {"policies": Table(league, shown), "scale": Table(rows, is_shown=False)}
    show(tables | clusters_read(fleet))
    print_list(
        "what to set, where it saves the most",
        [
            f"{row['group']} of {row['cluster']}: {row['sentence']}"
            for row in savings_first(rows)[:SENTENCES]
        ],
    )
    say_clusters(fleet)
    for sentence in (resolution_of(rows), prices_of(settings.prices)):
        if sentence:
            say(sentence)
    if others := not_replayed(rows):
        print_list("not replayed", others)
    say(verdict_of(rows))
    if out:
        say(
            f"Snapshot {fleet.id}: each group under each policy, and what to set, is in "
            f"{table_in(out, 'scale')}; sizes and lag over time are in {table_in(out, 'courses')}."
        )
