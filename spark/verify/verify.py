"""Check a fleet's plan against its snapshot."""

from collections.abc import Iterator, Sequence

import pandas as pd
from pyspark.sql import DataFrame, functions as F

from optimizer.model import WEIGHTS
from spark.errors import InputError
from spark.fleet import FleetSnapshot, escaped_rows
from spark.groups import GROUP_KEYS, encode, outlived, weight_tables
from spark.verify.faults import MEASURES, faults_of_group
from spark.verify.read_plan import RowWithPlan

FAULT_SCHEMA = "cluster string, `group` string, fault string"

GROUP_COLUMNS = ("status", "strategy", "members", *MEASURES)
PROOFS = {
    "spread": "long",
    "spread_optimal": "boolean",
    "max_host_load": "long",
    "hosts_optimal": "boolean",
    "local_reads": "long",
    "remote_reads": "long",
    "racks_optimal": "boolean",
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
    """What is wrong with a plan of the snapshot: cluster, group, fault; no row, no fault.

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
    plan = _plan_rows(assignments, groups)
    racks = "goals" in groups.columns and not groups.where("goals is not null").isEmpty()
    weights = weight_tables(snapshot, _sources(groups), rates)
    encoded = encode(snapshot.validate(), racks, weights=weights)
    rows = encoded.join(plan, list(GROUP_KEYS), "full")
    return rows.na.fill({"plan_count": 0}).mapInPandas(_faults, FAULT_SCHEMA)


def _sources(groups: DataFrame) -> list[str]:
    """Where the weights come from that groups of the plan are balanced by."""
    if "goals" not in groups.columns:
        return []
    by_weight = groups.where(F.get_json_object("goals", "$.balance") == "weight")
    values = by_weight.select(F.get_json_object("goals", "$.weight").alias("source"))
    return [row.source for row in values.distinct().collect() if row.source in WEIGHTS]


def _missing(name: str, table: DataFrame, columns: Sequence[str]) -> Iterator[str]:
    absent = [column for column in (*GROUP_KEYS, *columns) if column not in table.columns]
    if absent:
        yield f"its table {name} lacks the column {', '.join(absent)}"


def _plan_rows(assignments: DataFrame, groups: DataFrame) -> DataFrame:
    """One row a group that either table of the plan names."""
    absent = {n: F.lit(None).cast(t) for n, t in PROOFS.items() if n not in groups.columns}
    proofs = (absent[name].alias(name) if name in absent else name for name in PROOFS)
    groups = escaped_rows(groups.select(*GROUP_KEYS, *GROUP_COLUMNS, *proofs))
    assignments = escaped_rows(assignments.select(*GROUP_KEYS, *FIELDS))
    values = groups.groupBy(*GROUP_KEYS).agg(
        F.count("*").alias("plan_count"),
        *(F.first(name).alias(name) for name in (*GROUP_COLUMNS, *PROOFS)),
    )
    fields = F.struct(*FIELDS)
    plans = (
        assignments.groupBy(*GROUP_KEYS)
        .agg(F.sort_array(F.collect_list(fields)).alias("plan"))
        .select(
            *GROUP_KEYS,
            F.col("plan.topic").alias("plan_topics"),
            F.col("plan.partition").alias("plan_partitions"),
            F.col("plan.member_id").alias("plan_members"),
            F.col("plan.previous_member_id").alias("plan_previous"),
            F.col("plan.action").alias("plan_actions"),
        )
    )
    joined = values.join(plans, list(GROUP_KEYS), "full")
    lists = [name for name in joined.columns if name.startswith("plan_") and name != "plan_count"]
    return joined.withColumns({name: F.coalesce(name, F.array()) for name in lists})


def _faults(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for batch in batches:
        rows = outlived([*batch.itertuples(index=False)], _faults_of_groups)
        yield pd.DataFrame(rows, columns=["cluster", "group", "fault"])


def _faults_of_groups(rows: Sequence[RowWithPlan]) -> list[tuple[str, str, str]]:
    return [(row.cluster, row.group, fault) for row in rows for fault in faults_of_group(row)]
