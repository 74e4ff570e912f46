"""`evenfleet members --split TOPIC`: what a group of its own for a big topic would bring."""

from datetime import timedelta
from operator import itemgetter
from typing import Any

from spark import terminal
from spark.errors import InputError
from spark.fleet import as_rows, near_miss
from spark.members import split_fleet
from spark.terminal import Table, busy, say, show

COLUMNS_SHOWN = "part", "members", "partitions", "max_load", "lag", "max_lag", "catch_up_seconds"
"""What fits a terminal of 80 columns; JSON has all."""

FIRST = 5
"""Groups that people see: four rows each."""


def show_split(source: terminal.FleetOptions, topic: str, window: timedelta) -> None:
    """Print each group that reads the topic, before and after; those with most lag first."""
    with source.session(many=True) as spark:
        fleet = source.read(spark, "members")
        flowing = terminal.optional_rates(spark, source.where, fleet, window, source.settings)
        with flowing as rates, busy("splitting groups"):
            rows = as_rows(split_fleet(fleet, topic, rates))
        if not rows:
            near = near_miss(fleet, "topic", topic) or ": nothing can be split"
            raise InputError(f"no group subscribes to topic {topic}{near}")
    rows.sort(key=itemgetter("cluster", "group"))
    divided = sorted((row for row in rows if row["sides"]), key=_most_lag_first)
    shown = [
        {"group": row["group"], **{name: side[name] for name in COLUMNS_SHOWN}}
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
