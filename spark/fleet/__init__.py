"""A fleet's tables: what they are, checked, read and written."""

from __future__ import annotations

from spark.fleet.clusters import MAX_AGE, Composition, clusters_in, compositions
from spark.fleet.local_store import SCHEMAS, table_of, write_store
from spark.fleet.results import (
    check_no_store,
    check_writable,
    read_planned,
    read_result,
    write_instants,
)
from spark.fleet.schemas import TABLES
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.source_tables import SourceTables
from spark.fleet.states import PLANNED, REBALANCING_STATES, STATUSES, UNKNOWN_STATE, UNPLANNED
from spark.fleet.store import (
    ids,
    row_counts,
    snapshot_id,
    snapshots,
    unfinished,
    whole,
    write_table,
)

__all__ = [
    "MAX_AGE",
    "PLANNED",
    "REBALANCING_STATES",
    "SCHEMAS",
    "STATUSES",
    "TABLES",
    "UNKNOWN_STATE",
    "UNPLANNED",
    "Composition",
    "FleetSnapshot",
    "SourceTables",
    "check_no_store",
    "check_writable",
    "clusters_in",
    "compositions",
    "ids",
    "read_planned",
    "read_result",
    "row_counts",
    "snapshot_id",
    "snapshots",
    "table_of",
    "unfinished",
    "whole",
    "write_instants",
    "write_store",
    "write_table",
]
