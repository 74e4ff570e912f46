"""`evenfleet rates`: how fast each partition flows, and who can't keep up with it."""

from __future__ import annotations

from typing import Annotated

import typer
from pyspark.sql import SparkSession

from spark.files import Where, table_in, write_tables
from spark.fleet import RATES, Part, check_out, check_writable
from spark.history import (
    QUANTILE,
    FleetRates,
    busiest,
    groups_behind,
    said_of_group,
)
from spark.settings import read_settings, window_length
from spark.terminal import (
    ClusterName,
    Conf,
    Config,
    Form,
    Format,
    GroupPattern,
    Master,
    Out,
    OutTables,
    Store,
    StoreTables,
    as_rows,
    busy,
    opened,
    out_in,
    read_history,
    say,
    say_snapshots,
    show,
    snapshots_in_json,
    store_in,
    tell,
)

SHOWN = 10
"""Rows of each table that is printed."""

KEYS = {
    "rates": ("cluster", "topic", "partition"),
    "consumption": ("cluster", "group", "topic", "partition"),
    "members": ("cluster", "group", "member_id"),
}
"""The tables that are written."""


def rates(
    store: Store = None,
    out: Out = None,
    tables: StoreTables = None,
    out_tables: OutTables = None,
    window: Annotated[
        str, typer.Option(help="How far to look back from each cluster's last snapshot.")
    ] = "24h",
    quantile: Annotated[
        float, typer.Option(help="Which quantile of the rates is told.", min=0, max=1)
    ] = QUANTILE,
    until: Annotated[
        str | None, typer.Option(help="The last snapshot to read.", show_default="the newest")
    ] = None,
    cluster: ClusterName = None,
    group: GroupPattern = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Tell how fast partitions are written and read, and which groups fall behind."""
    source, target = store_in(store, tables), out_in(out, out_tables)
    settings = read_settings(config)
    length = window_length(window)
    check_writable(target)
    with opened(master, conf, settings, source, many=True) as spark:
        check_out(spark, target, RATES)
        since = length + settings.max_age
        part = Part(cluster, group)
        with read_history(spark, source, "rates", since, until, part, settings) as history:
            with busy("comparing offsets"):
                found = history.rates(length, quantile)
            write_rates(spark, target, history.snapshots[-1], found, form)
    if part:
        say(f"Told are {part} alone.")


def write_rates(
    session: SparkSession, out: Where, snapshot: str, found: FleetRates, form: Format
) -> None:
    """Write the tables, and print what stands out."""
    kept = {name: getattr(found, name).persist() for name in KEYS}
    try:
        with busy("working out rates"):
            sorted_rows = {
                name: rows.repartition(1).sortWithinPartitions(*KEYS[name])
                for name, rows in kept.items()
            }
            write_tables(session, out, snapshot, sorted_rows)
            fast = as_rows(busiest(found.rates, found.window).limit(SHOWN).collect())
            late = as_rows(groups_behind(found.consumption, found.window).collect())
            resets = found.rates.where("resets > 0").count()
    finally:
        for rows in kept.values():
            rows.unpersist()
    held = found.window.snapshots
    if form is Format.JSON:
        show({"busiest": fast, "behind": late, "clusters": snapshots_in_json(held)}, form)
    else:
        show({"busiest partitions, in records a second": fast}, form)
        tell("groups that fall behind", [said_of_group(row) for row in late] or ["None does."])
    say_snapshots(held)
    for note in found.notes:
        say(f"{note[0].upper()}{note[1:]}.")
    if resets:
        start = "1 partition starts" if resets == 1 else f"{resets} partitions start"
        say(f"{start} again: the end offset fell, as it does when a topic is made anew.")
    say(
        f"Snapshot {snapshot}: what comes in is in {table_in(out, 'rates')}, what groups read in "
        f"{table_in(out, 'consumption')}, and what members do in {table_in(out, 'members')}."
    )
