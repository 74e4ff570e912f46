"""A fleet's tables: what they are, checked, read and written."""

from __future__ import annotations

from spark.fleet.clusters import (
    MAX_AGE,
    Composition,
    clusters_in,
    compositions,
    evenly,
    within_reach,
)
from spark.fleet.compaction import Scattered, compact, scattered_in
from spark.fleet.conform import conformed, is_keyed, name_groups, null_keys
from spark.fleet.connectors import IS_CONNECTOR, connector_topic
from spark.fleet.contents import Contents, contents_of
from spark.fleet.fleet_files import FleetFiles, Rows
from spark.fleet.kinds import (
    CLASSIC,
    CONNECT,
    CONSUMER,
    LENGTH_OF_UUID,
    OTHER,
    SHARE,
    STREAMS,
    TYPES,
    kind_of,
    type_of_protocol,
    why_foreign,
)
from spark.fleet.local_store import SCHEMAS, table_of, write_store
from spark.fleet.part import WHOLE, Part
from spark.fleet.results import (
    CLUSTERS,
    PART,
    check_no_store,
    check_outside,
    check_writable,
    read_planned,
    read_result,
)
from spark.fleet.retention import Aged, Pruning, Retention, now_in_utc, prune, pruning_of
from spark.fleet.schemas import LAG, RECORDS_BEHIND, TABLES, faults_of, unknown_columns
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.source_tables import SourceTables
from spark.fleet.states import (
    FOREIGN,
    PLANNED,
    REBALANCING_STATES,
    STATUSES,
    UNKNOWN_STATE,
    UNPLANNED,
)
from spark.fleet.store import (
    Stored,
    ids,
    skipped_sentence,
    snapshot_id,
    snapshots,
    stored_in,
    time_of,
    unfinished,
    whole,
)
from spark.fleet.utf8 import escaped, escaped_rows, is_like, is_named, names_wanted, spelled

__all__ = [
    "CLASSIC",
    "CLUSTERS",
    "CONNECT",
    "CONSUMER",
    "FOREIGN",
    "IS_CONNECTOR",
    "LAG",
    "LENGTH_OF_UUID",
    "MAX_AGE",
    "OTHER",
    "PART",
    "PLANNED",
    "REBALANCING_STATES",
    "RECORDS_BEHIND",
    "SCHEMAS",
    "SHARE",
    "STATUSES",
    "STREAMS",
    "TABLES",
    "TYPES",
    "UNKNOWN_STATE",
    "UNPLANNED",
    "WHOLE",
    "Aged",
    "Composition",
    "Contents",
    "FleetFiles",
    "FleetSnapshot",
    "Part",
    "Pruning",
    "Retention",
    "Rows",
    "Scattered",
    "SourceTables",
    "Stored",
    "check_no_store",
    "check_outside",
    "check_writable",
    "clusters_in",
    "compact",
    "compositions",
    "conformed",
    "connector_topic",
    "contents_of",
    "escaped",
    "escaped_rows",
    "evenly",
    "faults_of",
    "ids",
    "is_keyed",
    "is_like",
    "is_named",
    "kind_of",
    "name_groups",
    "names_wanted",
    "now_in_utc",
    "null_keys",
    "prune",
    "pruning_of",
    "read_planned",
    "read_result",
    "scattered_in",
    "skipped_sentence",
    "snapshot_id",
    "snapshots",
    "spelled",
    "stored_in",
    "table_of",
    "time_of",
    "type_of_protocol",
    "unfinished",
    "unknown_columns",
    "whole",
    "why_foreign",
    "within_reach",
    "write_store",
]
