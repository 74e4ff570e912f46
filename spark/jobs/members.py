"""`evenfleet members`: how many members each group needs."""

from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

from spark import terminal
from spark.errors import InputError
from spark.fleet import as_rows, near_miss
from spark.members import (
    HEADROOM,
    broker_commits,
    commit_rows,
    members_fleet,
    shortest_first,
    size_metrics,
    split_fleet,
)
from spark.metrics_text import check_metrics
from spark.settings import window_length
from spark.store import replace_text
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, show

COLUMNS_SHOWN = ("cluster", "group", "members", "partitions", "optimal_max", "spare", "needed")
"""What fits a terminal of 80 columns; JSON has all."""

SIDES_SHOWN = "part", "members", "partitions", "max_load", "lag", "max_lag", "catch_up_seconds"
"""The same of the sides of a split."""

FIRST = 5
"""Groups that people see: four rows each."""


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
    length = window_length(window)
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
        with source.rates(spark, fleet, length) as rates, busy("counting members"):
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
    say("Sizes count partitions, also of groups that are judged by weight; needed follows rates.")
    if rates is None:
        say("Members needed are unknown: rates take two snapshots with offsets in the window.")


def show_split(source: terminal.FleetOptions, topic: str, window: timedelta) -> None:
    """Print each group that reads the topic, before and after; those with most lag first."""
    with source.session(many=True) as spark:
        fleet = source.read(spark, "members")
        with source.rates(spark, fleet, window) as rates, busy("splitting groups"):
            rows = as_rows(split_fleet(fleet, topic, rates))
        if not rows:
            near = near_miss(fleet, "topic", topic) or ": nothing can be split"
            raise InputError(f"no group subscribes to topic {topic}{near}")
    rows.sort(key=itemgetter("cluster", "group"))
    divided = sorted((row for row in rows if row["sides"]), key=_most_lag_first)
    shown = [
        {"group": row["group"], **{name: side[name] for name in SIDES_SHOWN}}
        for row in divided[:FIRST]
        for side in row["sides"]
    ]
    show({"split": Table(rows, shown)} | terminal.clusters_read(fleet))
    terminal.print_list(
        f"{topic} in a group of its own",
        [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in divided[:FIRST]],
    )
    if divided:
        say("Assumed: as many members as now, and both groups assigned as evenly as possible.")
        if rates is None:
            say("Lag afterwards is unknown: rates take two snapshots with offsets in the window.")
        else:
            say("Assumed: each member reads at the highest observed rate of one.")
            say("Members are divided by what comes in for each side.")
    if without := len(rows) - len(divided):
        say(f"Not split: {without} groups (--format json says why).")
    terminal.say_clusters(fleet)


def _most_lag_first(row: dict[str, Any]) -> tuple[float, str, str]:
    now = row["sides"][0]
    return -(now["lag"] or 0), str(row["cluster"]), str(row["group"])
