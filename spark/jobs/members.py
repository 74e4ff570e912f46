"""`evenfleet members`: how many members each group needs."""

from pathlib import Path
from typing import Annotated

from spark import InputError, terminal
from spark.files import replace_text
from spark.fleet import as_rows
from spark.jobs.members_split import show_split
from spark.members import (
    HEADROOM,
    broker_commits,
    commit_rows,
    members_fleet,
    shortest_first,
    size_metrics,
)
from spark.metrics_text import check_metrics
from spark.settings import window_length
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, show

COLUMNS_SHOWN = ("cluster", "group", "members", "partitions", "optimal_max", "spare", "needed")
"""What fits a terminal of 80 columns; JSON has all."""


def members(
    source: terminal.FleetOptions,
    headroom: Annotated[
        float, option("Target load, as a share of a member's highest observed rate.")
    ] = HEADROOM,
    window: terminal.Window = "24h",
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
        if commits or metrics:
            raise InputError(
                "--split shows how one topic is split: leave out --commits and --metrics"
            )
        show_split(source, split, length)
        return
    with source.session(many=True) as spark:
        fleet = source.read(spark, "members")
        flowing = terminal.optional_rates(spark, source.where, fleet, length, settings)
        with flowing as rates, busy("counting members"):
            sizes = members_fleet(fleet, rates, headroom)
            rows = sorted(as_rows(sizes), key=shortest_first)
            by_broker = as_rows(broker_commits(fleet, rates)) if commits and rates else []
    if metrics:
        replace_text(metrics, size_metrics(rows))
    sized = [row for row in rows if row["sentence"]]
    shown = [{name: row[name] for name in COLUMNS_SHOWN} for row in sized]
    tables = {"members": Table(rows, shown, most=ROWS_SHOWN)}
    if commits:
        tables["commits"] = Table(commit_rows(rows), most=ROWS_SHOWN)
        tables["coordinators"] = Table(by_broker, title="commits a second by broker, at least")
    show(tables | terminal.clusters_read(fleet))
    terminal.print_list(
        "how many members groups need",
        [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in sized[:ROWS_SHOWN]],
    )
    for assumed in dict.fromkeys(row["assumed"] for row in sized[:ROWS_SHOWN] if row["assumed"]):
        say(f"Assumed: {assumed}.")
    if without := len(rows) - len(sized):
        say(f"Not evaluated: {without} groups (--format json says why).")
    terminal.say_clusters(fleet)
    if settings.goals.weights:
        say("Sizes count partitions, though goals are by weight; needed follows rates.")
    if rates is None:
        say("Members needed are unknown: rates take two snapshots with offsets in the window.")
