"""`evenfleet members`: how many members each group needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pyspark.sql import DataFrame, functions as F

from spark import InputError
from spark.files import replace_text
from spark.jobs.members_split import show_split
from spark.members import HEADROOM, commit_rows, members_fleet, size_metrics
from spark.metrics_text import check_metrics
from spark.settings import window_length
from spark.terminal import (
    FleetOptions,
    Table,
    Window,
    as_rows,
    busy,
    clusters_read,
    option,
    optional_rates,
    print_list,
    say,
    say_clusters,
    show,
)

COLUMNS_SHOWN = (
    *("cluster", "group", "members", "partitions", "optimal_max", "fewest_optimal", "spare"),
    "needed",
)
"""What fits a terminal of 80 columns; JSON has all."""

FIRST = 20
"""Groups that people see unless they ask for all: those short of members, then the spare ones."""


def members(
    source: FleetOptions,
    headroom: Annotated[
        float, option("Target load, as a share of a member's highest observed rate.")
    ] = HEADROOM,
    window: Window = "24h",
    split: Annotated[
        str | None,
        option("Show what a group of its own for this topic would bring.", metavar="TOPIC"),
    ] = None,
    commits: Annotated[
        bool, option("Also show what commit intervals cost: commits, and records read twice.")
    ] = False,
    metrics: Annotated[
        Path | None,
        option("File of metrics (*.prom) for node_exporter's textfile collector, and autoscalers."),
    ] = None,
) -> None:
    """Report how many members each group needs, and how many are spare."""
    length, settings = window_length(window), source.settings
    if not 0 < headroom <= 1:
        raise InputError(f"--headroom {headroom:g} must be above 0 and at most 1")
    if metrics:
        check_metrics(metrics)
    if split:
        show_split(source, split)
        return
    with source.session() as spark:
        fleet = source.read(spark, "members")
        flowing = optional_rates(spark, source.where, fleet, length, settings)
        with flowing as rates, busy("counting members"):
            rows = as_rows(in_order(members_fleet(fleet, rates, headroom)).collect())
    if metrics:
        replace_text(metrics, size_metrics(rows))
    sized = [row for row in rows if row["sentence"]]
    shown = [{name: row[name] for name in COLUMNS_SHOWN} for row in sized]
    curve = {"commits": Table(commit_rows(rows), most=FIRST)} if commits else {}
    show({"members": Table(rows, shown, most=FIRST)} | curve | clusters_read(fleet))
    print_list(
        "how many members groups need",
        [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in sized[:FIRST]],
    )
    for assumed in dict.fromkeys(row["assumed"] for row in sized[:FIRST] if row["assumed"]):
        say(f"Assumed: {assumed}.")
    if without := len(rows) - len(sized):
        say(f"Not evaluated: {without} groups (--format json says why).")
    say_clusters(fleet)
    if settings.goals.weights:
        say("Sizes count partitions, though goals are by weight; needed follows rates.")
    if rates is None:
        say("Members needed are unknown: rates take two snapshots with offsets in the window.")


def in_order(rows: DataFrame) -> DataFrame:
    """Those most short of members first, then those with the most to spare; unknown ones last."""
    short = F.greatest(F.coalesce(F.col("needed") - F.col("members"), F.lit(0)), F.lit(0))
    return rows.orderBy(short.desc(), F.desc_nulls_last("spare"), "cluster", "group")
