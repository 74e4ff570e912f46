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
from spark.groups.encode import claims_of, encode, tasks_for_rows, weight_tables
from spark.groups.facts import Dispute, OddClaims, has_weights, read_topics
from spark.groups.file_parts import RACK_COLUMNS
from spark.groups.group import FleetGroup, failure_of, is_claimless, read_or_failed
from spark.groups.memory import MAX_ROWS, size_of
from spark.groups.one_group import one_row, rows_of_named
from spark.groups.own_strategy import (
    check_assignor,
    has_single_answer,
    is_another_clients,
    is_kafkas,
    own_strategy,
    strategy_of,
)
from spark.groups.rows import (
    ABSENT,
    COLUMN,
    LAG,
    SPAN,
    EncodedRow,
    Names,
    Numbers,
    parts_in,
    parts_of,
)
from spark.groups.workers import in_workers
