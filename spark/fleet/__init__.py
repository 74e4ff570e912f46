"""A fleet's tables: what they are, checked, read and written."""

from __future__ import annotations

from spark.fleet.clusters import (
    MAX_AGE as MAX_AGE,
    Composition as Composition,
    clusters_in as clusters_in,
    compositions as compositions,
    evenly as evenly,
    within_reach as within_reach,
)
from spark.fleet.compaction import (
    Scattered as Scattered,
    compact_each as compact_each,
    compacted_by_day as compacted_by_day,
    scattered_in as scattered_in,
)
from spark.fleet.conform import (
    conformed as conformed,
    is_keyed as is_keyed,
    name_groups as name_groups,
    null_keys as null_keys,
)
from spark.fleet.contents import clusters_in_turn as clusters_in_turn, contents_of as contents_of
from spark.fleet.fleet_files import FleetFiles as FleetFiles, Rows as Rows
from spark.fleet.kinds import (
    CLASSIC as CLASSIC,
    CONNECT as CONNECT,
    CONSUMER as CONSUMER,
    LENGTH_OF_UUID as LENGTH_OF_UUID,
    OTHER as OTHER,
    PLANNED as PLANNED,
    REBALANCING_STATES as REBALANCING_STATES,
    SHARE as SHARE,
    STATUSES as STATUSES,
    STREAMS as STREAMS,
    TYPES as TYPES,
    UNKNOWN_STATE as UNKNOWN_STATE,
    UNPLANNED as UNPLANNED,
    UNSUPPORTED as UNSUPPORTED,
    connector_topic as connector_topic,
    is_connector as is_connector,
    kind_of as kind_of,
    type_of_protocol as type_of_protocol,
    why_unsupported as why_unsupported,
)
from spark.fleet.local_store import (
    SCHEMAS as SCHEMAS,
    SourceTables as SourceTables,
    table_of as table_of,
    write_store as write_store,
)
from spark.fleet.near_misses import near_miss as near_miss
from spark.fleet.part import WHOLE as WHOLE, Part as Part
from spark.fleet.results import (
    CLUSTERS as CLUSTERS,
    PART as PART,
    PLAN_WEIGHTS as PLAN_WEIGHTS,
    check_out as check_out,
    check_writable as check_writable,
    read_planned as read_planned,
    read_result as read_result,
    read_results as read_results,
)
from spark.fleet.retention import (
    Retention as Retention,
    now_in_utc as now_in_utc,
    prune as prune,
    pruning_of as pruning_of,
)
from spark.fleet.schemas import (
    AUDIT as AUDIT,
    COMPARISON as COMPARISON,
    GROUP_KEYS as GROUP_KEYS,
    HISTORY as HISTORY,
    LAG as LAG,
    PLAN as PLAN,
    RATES as RATES,
    RECORDS_BEHIND as RECORDS_BEHIND,
    REPLAY as REPLAY,
    RESULTS as RESULTS,
    SCALE as SCALE,
    STORE as STORE,
    TABLES as TABLES,
    WHATIF as WHATIF,
    check_kind as check_kind,
    faults_of as faults_of,
    unknown_columns as unknown_columns,
)
from spark.fleet.snapshot import FleetSnapshot as FleetSnapshot
from spark.fleet.store import (
    Stored as Stored,
    ids as ids,
    skipped_sentence as skipped_sentence,
    snapshot_id as snapshot_id,
    snapshots as snapshots,
    stored_in as stored_in,
    time_of as time_of,
    unfinished as unfinished,
    whole as whole,
)
from spark.fleet.uneven import (
    BY_WEIGHT as BY_WEIGHT,
    UNEVEN as UNEVEN,
    worst_first as worst_first,
)
from spark.fleet.utf8 import (
    escaped as escaped,
    escaped_rows as escaped_rows,
    is_like as is_like,
    is_named as is_named,
    is_one_of as is_one_of,
    names_wanted as names_wanted,
    spelled as spelled,
)
