"""A plan as `evenfleet plan` wrote it, of one snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from spark.errors import InputError
from spark.fleet import (
    PLAN_WEIGHTS,
    Part,
    ids,
    is_like,
    is_named,
    no_plan,
    read_result,
    read_results,
)
from spark.groups import EncodedRow, Names, Numbers
from spark.store import Where


@dataclass(frozen=True)
class PlanTables:
    """The plan of one snapshot; `notes` say what was left out of it."""

    groups: DataFrame
    assignments: DataFrame
    rates: DataFrame | None
    notes: tuple[str, ...]

    @classmethod
    def read(cls, session: SparkSession, plan: Where, snapshot: str, part: Part) -> PlanTables:
        """Part of a plan; InputError where it isn't there."""
        groups, assignments = read_results(session, plan, ("groups", "assignments"), snapshot)
        rates = None
        if snapshot in ids(session, plan, PLAN_WEIGHTS):
            rates = read_result(session, plan, PLAN_WEIGHTS, snapshot).rows
        notes = (*groups.notes, *assignments.notes)
        return cls(_in_part(groups.rows, part), _in_part(assignments.rows, part), rates, notes)


def planned_snapshots(session: SparkSession, plan: Where, snapshot: str | None) -> list[str]:
    """The snapshots that a plan has, or the one that is asked for; InputError if it has none."""
    planned = sorted({*ids(session, plan, "groups"), *ids(session, plan, "assignments")})
    if not planned:
        raise no_plan(session, plan)
    if snapshot is not None and snapshot not in planned:
        raise InputError(
            f"plan {plan} has no snapshot {snapshot}: it has {', '.join(planned[-5:])}"
        )
    return planned if snapshot is None else [snapshot]


def _in_part(rows: DataFrame, part: Part) -> DataFrame:
    """The rows of a plan's table that belong to part of a fleet."""
    if part.cluster is not None:
        rows = rows.where(is_named("cluster", [part.cluster]))
    return rows if part.group is None else rows.where(is_like("group", part.group))


class RowWithPlan(EncodedRow, Protocol):
    """An encoded group, its row of the plan, and its partitions there.

    `topics` is None where the snapshot lacks the group. Facts and measures are those of
    `spark.solve.SolvedRow`, as the plan states them; null where it doesn't.
    """

    plan_count: int
    """How many rows the plan has for the group."""
    status: str
    strategy: str
    goals: str | None
    partitions: Any
    moves: Any
    balance_optimal: Any
    moves_optimal: Any
    spread: Any
    spread_optimal: Any
    max_host_load: Any
    hosts_optimal: Any
    certificate: bytes | None
    bound_kind: str | None
    moves_bound: Any

    # one entry for each partition of the plan
    plan_topics: Names
    plan_partitions: Numbers
    plan_members: Names
    plan_previous: Names
    plan_actions: Names
