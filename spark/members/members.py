"""How many members each group needs, inside workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pyspark.sql import DataFrame, types as t

from optimizer.model import Problem
from optimizer.sizes import Needed, Sizes, needed_for, sizes_of
from spark.errors import InputError
from spark.fleet import FleetSnapshot
from spark.groups import (
    Flag,
    FleetGroup,
    Int,
    Long,
    Outcome,
    Real,
    Text,
    encode,
    failed,
    in_workers,
    read_or_failed,
)
from spark.history import FleetRates
from spark.members.flows import Flow, RowWithFlows, flow_of, flows_of
from spark.members.text import assumed_of, summary_of

SIZE = t.StructType(
    [
        t.StructField("members", t.IntegerType()),
        t.StructField("max_load", t.LongType()),
        t.StructField("even", t.BooleanType()),
    ]
)

NearSizes = Annotated[list[Any] | None, t.ArrayType(SIZE)]


@dataclass(slots=True, kw_only=True)
class MembersRow(Outcome):
    """A group's members, and how many it needs; null is what isn't known.

    `current_max` and `optimal_max` are the most partitions that a member has, now and in the
    optimum; `fewest_found` and `fewest_optimal` members would do for these, so that `spare` could
    go without raising the optimum's. `next_better` members have a lower one. `even`: the optimum
    gives all the same number; `even_below` and `even_above` are the nearest sizes of which that
    holds. `sizes` are those near the current one (`members`, `max_load`, `even`).

    With rates: `rate` records a second come in (the quantile of each partition, summed up), of
    `rated` of the partitions; `peak_rate` is the most that one member has been seen to read a
    second; `needed` members have no more to do than the headroom's share of that. `assumed` says
    what the numbers go by, `sentence` what they come to. `proven` is false where a search for the
    fewest was cut short.

    `per_host` is how many members each host has, if several have the same number, otherwise 1; all
    sizes are multiples of it.
    """

    members: Int = None
    partitions: Int = None
    current_max: Long = None
    optimal_max: Long = None
    fewest_found: Int = None
    fewest_optimal: Int = None
    spare: Int = None
    next_better: Int = None
    even: Flag = None
    even_below: Int = None
    even_above: Int = None
    sizes: NearSizes = None
    rate: Real = None
    rated: Int = None
    peak_rate: Real = None
    needed: Int = None
    proven: Flag = None
    assumed: Text = None
    sentence: Text = None
    per_host: Int = None


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
    parts = flows_of(snapshot, rates) if rates else {}
    encoded = encode(snapshot.validate(), more=parts)
    return in_workers(
        encoded, MembersRow, lambda groups: [row_of_group(row, headroom) for row in groups]
    )


def shortest_first(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sorts those most short of members to the front, unknown ones to the end.

    Of the others those come first that have the most to spare.
    """
    needed, spare = row["needed"], row["spare"]
    short = 0 if needed is None else max(needed - row["members"], 0)
    return -short, spare is None, -(spare or 0), row["cluster"], row["group"]


def row_of_group(row: RowWithFlows, headroom: float = HEADROOM) -> MembersRow:
    """The row of a group; a failure becomes its row."""
    group = read_or_failed(row)
    if group.problem is None:
        return _unsized(row, group)
    try:
        return _sized(row, group, group.problem, headroom)
    except Exception as error:
        return _unsized(row, failed(error))


def _unsized(row: RowWithFlows, group: FleetGroup) -> MembersRow:
    return MembersRow(
        cluster=row.cluster,
        group=row.group,
        status=group.status,
        reason=group.reason,
        members=len(row.member_ids),
    )


def _sized(row: RowWithFlows, group: FleetGroup, problem: Problem, headroom: float) -> MembersRow:
    sizes = sizes_of(problem)
    if sizes is None:
        nothing = _unsized(row, group)
        nothing.partitions, nothing.sentence = 0, "There is nothing to read."
        return nothing
    flow = flow_of(row, problem)
    needed = needed_for(problem, flow.rates, flow.peak_rate, headroom) if flow else None
    return MembersRow(
        cluster=row.cluster,
        group=row.group,
        status=group.status,
        reason=group.reason,
        **_counts(sizes),
        **_of_flow(flow, needed),
        proven=sizes.proven and (needed is None or needed.proven),
        assumed=assumed_of(sizes, needed),
        sentence=summary_of(sizes, needed, flow and flow.peak_rate, flow and flow.top),
    )


COUNTS = (
    *("members", "partitions", "current_max", "optimal_max", "fewest_found", "fewest_optimal"),
    *("spare", "next_better", "even", "even_below", "even_above", "per_host"),
)
"""What a row has of `Sizes`, by the same names."""


def _counts(sizes: Sizes) -> dict[str, Any]:
    near = [(size.members, size.max_load, size.even) for size in sizes.sizes]
    return {name: getattr(sizes, name) for name in COUNTS} | {"sizes": near}


def _of_flow(flow: Flow | None, needed: Needed | None) -> dict[str, Any]:
    if flow is None or needed is None:
        return {}
    return {
        "rate": needed.rate,
        "rated": flow.rated,
        "peak_rate": flow.peak_rate,
        "needed": needed.members,
    }
