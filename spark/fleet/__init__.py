"""A fleet's tables: what they are, checked, read and written."""

from spark.fleet.clusters import (
    MAX_AGE,
    WHOLE,
    Composition,
    Part,
    clusters_in,
    compositions,
    evenly,
    snapshots_by_cluster,
    within_reach,
)
from spark.fleet.compaction import (
    Scattered,
    compact_each,
    compacted_by_day,
    compaction_in_words,
    fault_of,
    scattered_in,
    sweep_store,
)
from spark.fleet.conform import conform_to, is_keyed, name_groups, null_keys
from spark.fleet.contents import (
    clusters_in_turn,
    contents_of,
    contents_report,
    listed_for_people,
    stored_in_words,
)
from spark.fleet.fleet_files import FleetFiles, Rows
from spark.fleet.kinds import (
    CLASSIC,
    CONNECT,
    CONSUMER,
    HUB,
    LENGTH_OF_UUID,
    OTHER,
    PLANNED,
    REBALANCING_STATES,
    SHARE,
    STATUSES,
    STREAMS,
    TYPES,
    UNKNOWN_STATE,
    UNPLANNED,
    UNSUPPORTED,
    components,
    connector_topic,
    group_type,
    other_kind_of,
    type_of_protocol,
    why_hidden,
    why_unsupported,
)
from spark.fleet.local_store import SCHEMAS, SourceTables, store_to_write, table_of, write_store
from spark.fleet.near_misses import groups_like, near_miss, plain_rows
from spark.fleet.results import (
    BY_WEIGHT,
    CLUSTERS,
    PART,
    PLAN_WEIGHTS,
    UNEVEN,
    as_rows,
    check_out,
    no_plan,
    read_planned,
    read_result,
    read_results,
    worst_first,
)
from spark.fleet.retention import Retention, now_in_utc, prune, pruning_of
from spark.fleet.schemas import (
    AUDIT,
    BROKER_CONFIGS,
    COMPARISON,
    GROUP_KEYS,
    HISTORY,
    LAG,
    MEMBER_KEYS,
    MIN_INSYNC,
    OFFSETS_TOPIC,
    PARTITION_KEYS,
    PLAN,
    RATES,
    RECORDS_BEHIND,
    REPLAY,
    RESULTS,
    SCALE,
    STORE,
    TABLES,
    TOPIC_CONFIGS,
    TOPIC_KEYS,
    WHATIF,
    check_kind,
    describe_null_keys,
    faults_of,
    unknown_columns,
)
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.store import (
    Stored,
    check_folder,
    ids,
    skipped_sentence,
    snapshot_id,
    snapshots,
    stored_in,
    time_of,
    whole,
)
from spark.fleet.teams import Mute, Team, label, muted_in, team_of
from spark.fleet.utf8 import (
    escape,
    escaped_rows,
    is_like,
    is_named,
    is_one_of,
    names_wanted,
    spell,
)
