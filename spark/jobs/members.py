"""`evenfleet members`: how many members each group needs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

from spark import terminal
from spark.errors import InputError
from spark.fleet import as_rows, near_miss
from spark.history import abandoned_lag, groups_behind
from spark.members import (
    HEADROOM,
    broker_commits,
    commit_rows,
    members_fleet,
    shortest_first,
    size_metrics,
    split_fleet,
    split_verdict,
    verdict_of,
)
from spark.metrics_text import check_metrics
from spark.settings import window_length
from spark.store import replace_text
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, say_all, say_answer, show

COLUMNS_SHOWN = ("cluster", "group", "members", "partitions", "optimal_max", "spare", "needed")
"""Columns that fit a terminal of 80; JSON has all."""

SIDES_SHOWN = "part", "members", "partitions", "max_load", "lag", "max_lag", "catch_up_seconds"
"""Columns of the sides of a split that fit."""


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
        fleet = source.read(spark)
        with source.rates(spark, fleet, length) as rates, busy("counting members"):
            sizes = members_fleet(fleet, rates, headroom)
            rows = sorted(as_rows(sizes), key=shortest_first)
            late = groups_behind(rates.consumption, rates.present, rates.window) if rates else None
            left = abandoned_lag(as_rows(late)) if late else []
            by_broker = as_rows(broker_commits(fleet, rates)) if commits and rates else []
    if metrics:
        replace_text(metrics, size_metrics(rows))
    sized = [row for row in rows if row["sentence"]]
    say_answer(verdict_of(rows, headroom))
    shown = [{name: row[name] for name in COLUMNS_SHOWN} for row in sized]
    tables = {"members": Table(rows, shown, is_detail=True)}
    if commits:
        tables["commits"] = Table(commit_rows(rows), most=ROWS_SHOWN)
        tables["coordinators"] = Table(by_broker, title="commits per second by broker, at least")
    terminal.print_list("group sizes", _lines(sized), is_detail=commits)
    show(tables | terminal.clusters_read(fleet))
    if rates is None:
        say("Members needed are unknown: rates take two snapshots with offsets in the window.")
    elif sized:
        say(f"Assumes {sized[0]['assumed']}.")
    if statuses := Counter(row["status"] for row in rows if not row["sentence"]):
        kinds = ", ".join(f"{count:,} {status}" for status, count in statuses.most_common())
        say(f"Not evaluated: {kinds}.")
    say_all(left)
    terminal.say_clusters(fleet)


def _lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in rows]


def show_split(source: terminal.FleetOptions, topic: str, window: timedelta) -> None:
    """Print each group that reads the topic, before and after; those with most lag first."""
    with source.session(many=True) as spark:
        fleet = source.read(spark)
        with source.rates(spark, fleet, window) as rates, busy("splitting groups"):
            rows = as_rows(split_fleet(fleet, topic, rates))
        if not rows:
            near = near_miss(fleet, "topic", topic) or ": nothing can be split"
            raise InputError(f"no group subscribes to topic {topic}{near}")
    rows.sort(key=itemgetter("cluster", "group"))
    split = [row for row in rows if row["sides"]]
    divided = sorted(split, key=lambda row: -(row["sides"][0]["lag"] or 0))
    say_answer(split_verdict(rows, topic))
    shown = [
        {"group": row["group"], **{name: side[name] for name in SIDES_SHOWN}}
        for row in divided
        for side in row["sides"]
    ]
    terminal.print_list("groups to split", _lines(divided))
    show({"split": Table(rows, shown, is_detail=True)} | terminal.clusters_read(fleet))
    if rates is None:
        say("Lag afterwards is unknown: rates take two snapshots with offsets in the window.")
    elif divided:
        say("Assumes even groups of today's members, each as fast as the fastest seen.")
    terminal.say_clusters(fleet)
