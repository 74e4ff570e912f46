"""Members that each group needs, inside workers: by its partitions, and by what flows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, Protocol

import numpy as np
from pyspark.sql import DataFrame, functions as F

from optimizer.model import Problem
from optimizer.sizes import Needed, Sizes, commit_curve, needed_for, sizes_of
from spark.errors import InputError
from spark.fleet import FleetSnapshot, escaped_rows
from spark.groups import (
    GROUP_KEYS,
    EncodedRow,
    FleetGroup,
    Numbers,
    coordinators,
    encode,
    failure_of,
    in_workers,
    read_or_failed,
    read_topics,
)
from spark.history import FleetRates, groups_behind
from spark.members.members_row import MembersRow, assumed_of, lacking, removable, summary_of
from spark.metrics_text import Family, metrics_text


class RowWithFlows(EncodedRow, Protocol):
    """A group with what `flows_of` knows of its topics, places in `all_topics`."""

    rated_topics: Numbers
    topic_rates: Numbers
    """The sum of the quantiles."""
    top_rates: Numbers
    """The highest quantile."""
    rated_counts: Numbers
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to do."""
    behind_counts: Numbers
    """One number: the partitions whose lag grows; none where the group keeps up."""


def late_in(rates: FleetRates) -> dict[str, DataFrame]:
    """A part for `spark.groups.encode`: how many partitions each group falls behind on."""
    late = groups_behind(rates.consumption, rates.present, rates.window).where("behind > 0")
    return {"late": late.select(*GROUP_KEYS, F.col("behind").cast("int").alias("behind_counts"))}


def flows_of(snapshot: FleetSnapshot, rates: FleetRates) -> dict[str, DataFrame]:
    """Parts for `spark.groups.encode`, with the columns of `RowWithFlows`."""
    rated = rates.rates.where("quantile is not null")
    of_topic = rated.groupBy("cluster", "topic").agg(
        F.sum("quantile").alias("topic_rates"),
        F.max("quantile").alias("top_rates"),
        F.count("*").cast("int").alias("rated_counts"),
    )
    columns = *GROUP_KEYS, "topic", "topic_rates", "top_rates", "rated_counts"
    return {"rated": rates.read_in(snapshot, of_topic).select(*columns), "peak": rates.peak_rates}


class GroupRates(NamedTuple):
    """Records a second of each topic of a problem; of `rated` partitions, `top` at most.

    The lag of `behind` partitions grows.
    """

    rates: Any
    rated: int
    top: float
    peak_rate: float
    behind: int


def flow_of(row: RowWithFlows, problem: Problem) -> GroupRates | None:
    """None where no rate is known, or nobody was seen to do anything."""
    peak_rate: Any = getattr(row, "peak_rates", [])
    if not len(peak_rate) or not len(row.rated_topics):
        return None
    rates = np.zeros(len(problem.topics))
    rates[read_topics(row).place[row.rated_topics]] = row.topic_rates
    rated, top = int(row.rated_counts.sum()), float(row.top_rates.max())
    behind = sum(getattr(row, "behind_counts", ()))
    return GroupRates(rates, rated, top, float(peak_rate[0]), int(behind))


HEADROOM = 0.7
"""How much of what a member has been seen to do it shall have to do at most."""


def members_fleet(
    snapshot: FleetSnapshot, rates: FleetRates | None = None, headroom: float = HEADROOM
) -> DataFrame:
    """A `MembersRow` for each group of a snapshot.

    With `rates` it tells what each group needs for what comes in as well. InputError for null keys,
    and for a `headroom` that must be above 0 and at most 1.
    """
    if not 0 < headroom <= 1:
        raise InputError(f"headroom {headroom} must be above 0 and at most 1, such as {HEADROOM}")
    parts = flows_of(snapshot, rates) | late_in(rates) if rates else {}
    encoded = encode(snapshot.validate(), more=parts)
    return in_workers(
        encoded, MembersRow, lambda groups: [row_of_group(row, headroom) for row in groups]
    )


def shortest_first(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sorts those most short of members to the front, unknown ones to the end.

    Of the others those come first that have the most to spare.
    """
    return -lacking(row), not row["sentence"], -removable(row), row["cluster"], row["group"]


def row_of_group(row: RowWithFlows, headroom: float = HEADROOM) -> MembersRow:
    """The row of a group; a failure becomes its row."""
    group = read_or_failed(row)
    if group.problem is None:
        return _empty_row(row, group)
    try:
        return _size_row(row, group, group.problem, headroom)
    except Exception as error:
        return _empty_row(row, failure_of(error))


def _empty_row(row: RowWithFlows, group: FleetGroup) -> MembersRow:
    return MembersRow(**group.outcome(row), members=len(row.member_ids))


def _size_row(
    row: RowWithFlows, group: FleetGroup, problem: Problem, headroom: float
) -> MembersRow:
    sizes = sizes_of(problem)
    if sizes is None:
        nothing = _empty_row(row, group)
        nothing.partitions, nothing.sentence = 0, "There is nothing to read."
        return nothing
    flow = flow_of(row, problem)
    needed = needed_for(problem, flow.rates, flow.peak_rate, headroom) if flow else None
    sized = MembersRow(
        **group.outcome(row),
        **_counts(sizes),
        **_of_flow(flow, needed),
        proven=sizes.proven and (needed is None or needed.proven),
        assumed=assumed_of(sizes, needed),
    )
    sized.sentence = summary_of(
        asdict(sized), needed.load if needed else None, flow.top if flow else None
    )
    return sized


COUNTS = (
    *("members", "partitions", "current_max", "optimal_max", "fewest_found", "fewest_optimal"),
    *("spare", "next_better", "even", "even_below", "even_above", "per_host"),
)
"""Fields of `Sizes` that a row has by the same names."""


def _counts(sizes: Sizes) -> dict[str, Any]:
    near = [(size.members, size.max_load, size.even) for size in sizes.sizes]
    return {name: getattr(sizes, name) for name in COUNTS} | {"sizes": near}


def _of_flow(flow: GroupRates | None, needed: Needed | None) -> dict[str, Any]:
    if flow is None or needed is None:
        return {}
    return {
        "rate": needed.rate,
        "rated": flow.rated,
        "peak_rate": flow.peak_rate,
        "behind": flow.behind,
        "needed": needed.members,
    }


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
