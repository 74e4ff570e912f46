"""One row a group: encoded by Spark, or for one group without it, and read in a worker."""

from __future__ import annotations

from spark.fleet import GROUP_KEYS as GROUP_KEYS
from spark.groups.batches import rows_of as rows_of
from spark.groups.columns import (
    Bytes as Bytes,
    Cells as Cells,
    Flag as Flag,
    Int as Int,
    Ints as Ints,
    Long as Long,
    Real as Real,
    Row as Row,
    Text as Text,
    Texts as Texts,
    Tinies as Tinies,
    batch_of as batch_of,
    columns_of as columns_of,
    schema_of as schema_of,
)
from spark.groups.coordinators import coordinators as coordinators
from spark.groups.encode import ABSENT as ABSENT, claims_of as claims_of, encode as encode
from spark.groups.encoded_row import EncodedRow as EncodedRow, Names as Names, Numbers as Numbers
from spark.groups.group import (
    FleetGroup as FleetGroup,
    failed as failed,
    read_or_failed as read_or_failed,
)
from spark.groups.homogeneous import (
    HomogeneousRows as HomogeneousRows,
    read_homogeneous as read_homogeneous,
)
from spark.groups.homogeneous_weights import (
    weighed_rows as weighed_rows,
    with_like_members as with_like_members,
)
from spark.groups.lookup import HashCollisionError as HashCollisionError, Lookup as Lookup
from spark.groups.named_group import named_group as named_group
from spark.groups.one_group import row_of_group as row_of_group, seat_of_group as seat_of_group
from spark.groups.one_row import one_row as one_row, rows_in_frames as rows_in_frames
from spark.groups.outlive import outlived as outlived
from spark.groups.own_strategy import own_strategy as own_strategy
from spark.groups.seats import (
    OFFSETS_TOPIC as OFFSETS_TOPIC,
    CoordinatorLocation as CoordinatorLocation,
    OffsetsTopic as OffsetsTopic,
    location_of as location_of,
)
from spark.groups.tasks import tasks_for_rows as tasks_for_rows
from spark.groups.weights import LAG as LAG, weight_tables as weight_tables
from spark.groups.workers import (
    cells_in_workers as cells_in_workers,
    in_workers as in_workers,
    in_workers_by_group as in_workers_by_group,
)
