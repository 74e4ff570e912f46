"""`evenfleet rates`: how fast each partition flows, and who can't keep up with it."""

from __future__ import annotations

from typing import Annotated

from pyspark.sql import SparkSession

from spark.files import Where, table_in, write_tables
from spark.fleet import RATES, check_out
from spark.history import QUANTILE, FleetRates, busiest, groups_behind, summary_of_group
from spark.settings import window_length
from spark.terminal import (
    OutOptions,
    PartOptions,
    Table,
    Until,
    Window,
    as_rows,
    busy,
    option,
    print_list,
    read_history,
    say,
    say_snapshots,
    show,
    snapshots_read,
)
from spark.text import as_sentence

ROWS_SHOWN = 10
"""Partitions that people see unless they ask for all."""

KEYS = {
    "rates": ("cluster", "topic", "partition"),
    "consumption": ("cluster", "group", "topic", "partition"),
    "members": ("cluster", "group", "member_id"),
}
"""The tables that are written."""


def rates(
    source: PartOptions,
    target: OutOptions,
    window: Window = "24h",
    quantile: Annotated[float, option("Quantile of the rates.", min=0, max=1)] = QUANTILE,
    until: Until = None,
) -> None:
    """Report how fast partitions are written and read, and which groups fall behind."""
    out, settings, part = target.required(), source.settings, source.part
    length = window_length(window)
    with source.session(many=True) as spark:
        check_out(spark, out, RATES)
        since = length + settings.max_age
        with read_history(spark, source.where, "rates", since, until, part, settings) as history:
            with busy("comparing offsets"):
                result = history.rates(length, quantile)
            write_rates(spark, out, history.snapshots[-1], result)
    if part:
        say(f"Only {part} are listed.")


def write_rates(session: SparkSession, out: Where, snapshot: str, found: FleetRates) -> None:
    """Write the tables, and print what stands out."""
    kept = {name: getattr(found, name).persist() for name in KEYS}
    try:
        with busy("working out rates"):
            sorted_rows = {
                name: rows.repartition(1).sortWithinPartitions(*KEYS[name])
                for name, rows in kept.items()
            }
            write_tables(session, out, snapshot, sorted_rows)
            fast = as_rows(busiest(found.rates, found.window).collect())
            late = as_rows(groups_behind(found.consumption, found.window).collect())
            resets = found.rates.where("resets > 0").count()
    finally:
        for rows in kept.values():
            rows.unpersist()
    held = found.window.snapshots
    shown = {
        "busiest": Table(fast, title="busiest partitions, in records a second", most=ROWS_SHOWN),
        "behind": Table(late, is_shown=False),
    }
    show(shown | snapshots_read(held))
    print_list("groups that fall behind", [summary_of_group(row) for row in late] or ["None does."])
    say_snapshots(held)
    for note in found.notes:
        say(as_sentence(note))
    if resets:
        start = "1 partition starts" if resets == 1 else f"{resets} partitions start"
        say(f"{start} again: the end offset fell, as when a topic is created again.")
    say(
        f"Snapshot {snapshot}: what is written is in {table_in(out, 'rates')}, what groups read in "
        f"{table_in(out, 'consumption')}, and the members' rates in {table_in(out, 'members')}."
    )
