"""`evenfleet members --split TOPIC`: what a group of its own for a big topic would bring."""

from __future__ import annotations

from typing import Any

from spark.errors import InputError
from spark.members import split_fleet
from spark.terminal import (
    FleetOptions,
    Table,
    as_rows,
    busy,
    clusters_read,
    print_list,
    say,
    say_clusters,
    show,
)

FIRST = 5
"""Groups that people see: four rows each."""


def show_split(source: FleetOptions, topic: str) -> None:
    """Print each group that reads the topic, before and after; those with most lag first."""
    with source.session() as spark:
        fleet = source.read(spark, "members")
        with busy("splitting groups"):
            rows = as_rows(split_fleet(fleet, topic).orderBy("cluster", "group").collect())
    if not rows:
        raise InputError(f"no group subscribes to topic {topic}: nothing can be split")
    divided = sorted((row for row in rows if row["sides"]), key=_most_lag_first)
    shown = [{"group": row["group"], **side} for row in divided[:FIRST] for side in row["sides"]]
    show({"split": Table(rows, shown)} | clusters_read(fleet))
    print_list(
        f"{topic} in a group of its own",
        [f"{row['group']} of {row['cluster']}: {row['sentence']}" for row in divided[:FIRST]],
    )
    if divided:
        say("Assumed: as many members as now, and both groups assigned as evenly as possible.")
    if without := len(rows) - len(divided):
        say(f"Not split: {without} groups (--format json says why).")
    say_clusters(fleet)


def _most_lag_first(row: dict[str, Any]) -> tuple[float, str, str]:
    now = row["sides"][0]
    return -(now["lag"] or 0), str(row["cluster"]), str(row["group"])
