"""Check a fleet's plan, as `evenfleet plan` wrote it, against its snapshot."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession, functions as F, types as t

from optimizer.model import PROVEN, WEIGHTS
from spark.errors import InputError
from spark.fleet import (
    PLAN_WEIGHTS,
    FleetSnapshot,
    Part,
    escaped_rows,
    ids,
    no_plan,
    read_result,
    read_results,
)
from spark.groups import GROUP_KEYS, encode, in_workers, weight_tables
from spark.store import Where
from spark.verify.faults import MEASURES, RowWithPlan, faults_of_group

FAULT_SCHEMA = t.StructType(
    [t.StructField(name, t.StringType()) for name in ("cluster", "group", "fault")]
)

GROUP_COLUMNS = ("status", "strategy", "members", *MEASURES)
PROOFS = {
    "spread": "long",
    "max_host_load": "long",
    "local_reads": "long",
    "remote_reads": "long",
    **{column: "boolean" for column in PROVEN if column not in MEASURES},
    "goals": "string",
    "certificate": "binary",
    "max_weight": "double",
    "weight_bound": "double",
    "weight_gap": "double",
    "bound_kind": "string",
    "moves_bound": "long",
    "weights_known": "double",
}
"""Columns that a plan may lack, with their types."""
FIELDS = ("topic", "partition", "member_id", "previous_member_id", "action")


def verify_plan(
    snapshot: FleetSnapshot,
    assignments: DataFrame,
    groups: DataFrame,
    rates: DataFrame | None = None,
) -> DataFrame:
    """The faults of a plan of the snapshot: cluster, group, fault; no row, no fault.

    Checked are statuses, that every partition is there once and goes to a subscriber, previous
    members, actions and measures. That balance, racks, moves and spread are optimal where the plan
    says so is proven again without the solver, by the plan's certificate if it has one that holds;
    a bound of loads by weight has to be shown by it. `rates` are those that the plan was made with.
    InputError when a table of the plan lacks columns.
    """
    faults = [
        *_missing("assignments", assignments, FIELDS),
        *_missing("groups", groups, GROUP_COLUMNS),
    ]
    if faults:
        raise InputError(f"the plan can't be checked: {'; '.join(faults)}")
    racks = "goals" in groups.columns and not groups.where("goals is not null").isEmpty()
    weights = weight_tables(snapshot, _sources(groups), rates)
    plan = _plan_parts(assignments, groups)
    encoded = encode(snapshot.validate(), racks, plan, weights=weights)
    return in_workers(encoded, FAULT_SCHEMA, _faults_of_groups, only_fleet=False, in_frames=True)


def _sources(groups: DataFrame) -> list[str]:
    """Where the weights come from that groups of the plan are balanced by."""
    if "goals" not in groups.columns:
        return []
    by_weight = groups.where(F.get_json_object("goals", "$.balance") == "weight")
    sources = by_weight.select(F.get_json_object("goals", "$.weight").alias("source"))
    return [row.source for row in sources.distinct().collect() if row.source in WEIGHTS]


def _missing(name: str, table: DataFrame, columns: Sequence[str]) -> Iterator[str]:
    absent = [column for column in (*GROUP_KEYS, *columns) if column not in table.columns]
    if absent:
        yield f"its table {name} lacks the column {', '.join(absent)}"


def _plan_parts(assignments: DataFrame, groups: DataFrame) -> dict[str, DataFrame]:
    """The rows of both tables as parts; those of groups as texts of JSON."""
    absent = {n: F.lit(None).cast(kind) for n, kind in PROOFS.items() if n not in groups.columns}
    proofs = (absent[name].alias(name) if name in absent else name for name in PROOFS)
    reported = escaped_rows(groups.select(*GROUP_KEYS, *GROUP_COLUMNS, *proofs))
    as_text = F.to_json(F.struct(*GROUP_COLUMNS, *PROOFS), {"ignoreNullFields": "false"})
    names = dict(zip(FIELDS, LISTS, strict=True))
    del names["partition"]  # a key of rows, as members and topics
    return {
        "reported": reported.select(*GROUP_KEYS, as_text.alias("reported")),
        "plan": assignments.select(*GROUP_KEYS, *FIELDS).withColumnsRenamed(names),
    }


def _faults_of_groups(rows: Sequence[Any]) -> list[tuple[str, str, str]]:
    return [
        (row.cluster, row.group, fault)
        for row in map(with_plan, rows)
        for fault in faults_of_group(row)
    ]


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


LISTS = ("plan_topics", "plan_partitions", "plan_members", "plan_previous", "plan_actions")


def with_plan(row: Any) -> RowWithPlan:
    """A group with what the parts `reported` and `plan` of its row say."""
    rows = [json.loads(text) for text in row.reported]
    fields: dict[str, Any] = rows[0] if rows else {}
    certificate = fields.get("certificate")
    columns = [getattr(row, name) for name in LISTS]
    partitions = zip(*(column.tolist() for column in columns), strict=True)
    keys = [["" if cell is None else cell for cell in entry] for entry in partitions]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    fields |= {name: column[order] for name, column in zip(LISTS, columns, strict=True)}
    fields |= {"plan_count": len(rows), "topics": row.topics if row.is_there else None}
    fields["certificate"] = None if certificate is None else b64decode(certificate)
    return cast(RowWithPlan, SimpleNamespace(**row._asdict() | fields))
