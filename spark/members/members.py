"""How many members each group needs, inside workers."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from optimizer.model import Problem
from optimizer.sizes import Needed, Sizes, needed_for, sizes_of
from spark.errors import InputError
from spark.fleet import FleetSnapshot
from spark.groups import FleetGroup, encode, failed, in_workers, read_or_failed
from spark.history import FleetRates
from spark.members.flows import Flow, RowWithFlows, flow_of, flows_of
from spark.members.members_row import MembersRow, assumed_of, summary_of

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
