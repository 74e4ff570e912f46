"""What commits cost: each group whose rate is known, and each broker that coordinates groups."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.sizes import commit_curve
from spark.fleet import FleetSnapshot, escaped_rows
from spark.groups import GROUP_KEYS, coordinators
from spark.history import FleetRates

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
