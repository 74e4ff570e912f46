"""What commits cost: each group whose rate is known, and each broker that coordinates groups."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.sizes import commit_curve
from spark.fleet import FleetSnapshot, escaped_rows
from spark.groups import GROUP_KEYS, coordinators
from spark.history import FleetRates
from spark.metrics_text import Family, metrics_text

KAFKAS_INTERVAL = 5
"""Seconds between commits without an auto.commit.interval.ms of one's own."""


def commit_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a group and interval (`CommitCost`), the group that reads most first.

    `rows` are those of `members_fleet`.
    """
    rated = [row for row in rows if row["rate"] and row["members"]]
    return [
        {"cluster": row["cluster"], "group": row["group"], **cost._asdict()}
        for row in sorted(rated, key=lambda row: -row["rate"])
        for cost in commit_curve(row["members"], row["rate"])
    ]


def broker_commits(fleet: FleetSnapshot, rates: FleetRates) -> DataFrame:
    """A row (cluster, broker) of those that coordinate groups with members, by number.

    `offsets` and `requests` are those of its groups that are committed a second, at least, as
    snapshots tell them; `requests_at_5s` those of members that commit at Kafka's own interval.
    """
    members = fleet.tables["members"].groupBy(*GROUP_KEYS).agg(F.expr("count(*) as members"))
    seats = coordinators(members.select(*GROUP_KEYS), fleet.tables)
    groups = escaped_rows(members).join(seats.where("coordinator is not null"), list(GROUP_KEYS))
    rows = groups.join(rates.commits, list(GROUP_KEYS), "left")
    sums = {
        "groups": "count(*)",
        "members": "sum(members)",
        "offsets": "coalesce(sum(offsets), 0d)",
        "requests": "coalesce(sum(requests), 0d)",
        "requests_at_5s": f"sum(members) / {KAFKAS_INTERVAL}",
        "inferred": "bool_or(inferred)",
    }
    return (
        rows.groupBy("cluster", F.col("coordinator").alias("broker"))
        .agg(*(F.expr(f"{text} as {name}") for name, text in sums.items()))
        .orderBy("cluster", "broker")
    )


METRICS = {
    "now": ("members", "Members that the group has."),
    "needed": ("needed", "Members that the rates need, with headroom."),
    "even_below": ("even_below", "The nearest smaller size at which all have the same number."),
    "even_above": ("even_above", "The nearest larger size at which all have the same number."),
    "most": ("partitions", "Partitions that the group reads: more members would own nothing."),
}
"""The end of each metric's name, the column of `MembersRow` that it shows, and what it is."""


def size_metrics(rows: Sequence[Mapping[str, Any]]) -> str:
    """The text of the metrics file: a series a group of each metric that is known of it."""
    return metrics_text(_family(name, *about, rows) for name, about in METRICS.items())


def _family(name: str, column: str, about: str, rows: Sequence[Mapping[str, Any]]) -> Family:
    samples = [
        ({"cluster": row["cluster"], "group": row["group"]}, row[column])
        for row in rows
        if row[column] is not None
    ]
    return f"evenfleet_members_{name}", about, samples
