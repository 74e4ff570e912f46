"""One row a group: encoded by Spark, or for one group without it, and read in a worker."""

from spark.fleet import GROUP_KEYS, OFFSETS_TOPIC
from spark.groups.batches import rows_of
from spark.groups.columns import (
    Bytes,
    Cells,
    Flag,
    Int,
    Ints,
    Long,
    Outcome,
    Real,
    Row,
    RowOfGroup,
    Text,
    Texts,
    Tinies,
    batch_of,
    columns_of,
    schema_of,
)
from spark.groups.coordinators import (
    CoordinatorLocation,
    OffsetsTopic,
    coordinator_of,
    coordinators,
    location_of,
)
from spark.groups.disputes import Claims, Dispute, disputes_among, read_claims
from spark.groups.encode import ABSENT, claims_of, encode
from spark.groups.encoded_row import EncodedRow, Names, Numbers
from spark.groups.group import FleetGroup, failed, is_claimless, read_or_failed
from spark.groups.homogeneous import HomogeneousRows, looks_homogeneous, read_homogeneous
from spark.groups.lookup import HashCollisionError, Lookup
from spark.groups.named_group import named_group
from spark.groups.one_group import row_of_group, seat_of_group
from spark.groups.one_groups_topics import RACK_COLUMNS
from spark.groups.one_row import one_row, rows_in_frames
from spark.groups.outlive import outlived
from spark.groups.own_strategy import (
    CONNECT_PROTOCOLS,
    SERVER_ASSIGNORS,
    check_assignor,
    has_single_answer,
    is_another_clients,
    own_strategy,
    strategy_of,
)
from spark.groups.tasks import tasks_for_rows
from spark.groups.weights import COLUMN, LAG, has_weights, knows_weights, weight_tables
from spark.groups.workers import cells_in_workers, in_workers, in_workers_by_group
