"""A fleet's tables: what they are, checked, read and written."""

from __future__ import annotations

from spark.fleet.local_store import SCHEMAS, table_of, write_store
from spark.fleet.results import check_no_store, check_writable, read_result
from spark.fleet.schemas import TABLES
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.source_tables import SourceTables
from spark.fleet.states import PLANNED, REBALANCING_STATES, STATUSES, UNKNOWN_STATE, UNPLANNED
from spark.fleet.store import (
    ids,
    newest,
    row_counts,
    snapshot_id,
    snapshots,
    unfinished,
    write_table,
)

__all__ = [
    "PLANNED",
    "REBALANCING_STATES",
    "SCHEMAS",
    "STATUSES",
    "TABLES",
    "UNKNOWN_STATE",
    "UNPLANNED",
    "FleetSnapshot",
    "SourceTables",
    "check_no_store",
    "check_writable",
    "ids",
    "newest",
    "read_result",
    "row_counts",
    "snapshot_id",
    "snapshots",
    "table_of",
    "unfinished",
    "write_store",
    "write_table",
]
