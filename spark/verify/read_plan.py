"""A plan as `evenfleet plan` wrote it, of one snapshot."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Protocol, cast

from pyspark.sql import DataFrame, SparkSession

from spark.errors import InputError
from spark.fleet import (
    PLAN_WEIGHTS,
    Part,
    ids,
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
        of_groups, owned = (table.rows.where(part.has_row()) for table in (groups, assignments))
        return cls(of_groups, owned, rates, notes)


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


LISTS = ("plan_topics", "plan_partitions", "plan_members", "plan_previous", "plan_actions")


def with_plan(row: Any) -> RowWithPlan:
    """A group with what the parts `reported` and `plan` of its row say."""
    rows = [json.loads(text) for text in row.reported]
    facts: dict[str, Any] = rows[0] if rows else {}
    certificate = facts.get("certificate")
    columns = [getattr(row, name) for name in LISTS]
    partitions = zip(*(column.tolist() for column in columns), strict=True)
    keys = [["" if cell is None else cell for cell in entry] for entry in partitions]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    facts |= {name: column[order] for name, column in zip(LISTS, columns, strict=True)}
    facts |= {"plan_count": len(rows), "topics": row.topics if row.is_there else None}
    facts["certificate"] = None if certificate is None else b64decode(certificate)
    return cast(RowWithPlan, SimpleNamespace(**row._asdict() | facts))
