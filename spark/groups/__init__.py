"""One row a group: encoded by Spark, or for one group without it, and read in a worker."""

from spark.fleet import GROUP_KEYS, OFFSETS_TOPIC
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
    rows_of,
    schema_of,
    struct_of,
)
from spark.groups.coordinators import (
    CoordinatorLocation,
    OffsetsTopic,
    coordinators,
    location_of,
    seat_of,
)
from spark.groups.cut import SEPARATOR, groups_of
from spark.groups.encode import claims_of, encode, tasks_for_rows
from spark.groups.facts import Dispute, OddClaims, read_topics
from spark.groups.group import FleetGroup, failure_of, is_claimless, read_or_failed
from spark.groups.memory import MAX_ROWS, size_of
from spark.groups.one_group import RACK_COLUMNS, one_row, row_of_group, rows_in_frames
from spark.groups.own_strategy import (
    check_assignor,
    has_single_answer,
    is_another_clients,
    is_kafkas,
    own_strategy,
    strategy_of,
)
from spark.groups.rows import ABSENT, SPAN, EncodedRow, Names, Numbers, parts_in, parts_of
from spark.groups.weights import COLUMN, LAG, has_weights, weight_tables
from spark.groups.workers import in_workers
