"""One row a group: encoded by Spark, or for one group without it, and read in a worker."""

from __future__ import annotations

from spark.groups.batches import portions, rows_of
from spark.groups.coordinators import coordinating_brokers, coordinators
from spark.groups.encode import ABSENT, GROUP_KEYS, claims_of, encode
from spark.groups.group import FleetGroup, failed, read_or_failed
from spark.groups.homogeneous import HomogeneousRows, read_homogeneous
from spark.groups.homogeneous_weights import weighed_rows, with_like_members
from spark.groups.lookup import HashCollisionError, Lookup
from spark.groups.named_group import named_group
from spark.groups.one_group import row_of_group, seat_of_group
from spark.groups.one_row import one_row, rows_in_frames
from spark.groups.outlive import outlived, outlived_in_time
from spark.groups.own_strategy import UNKNOWN_STRATEGY, own_strategy
from spark.groups.seats import OFFSETS_TOPIC, OffsetsTopic, Seat, seat_of
from spark.groups.tasks import tasks_for_rows
from spark.groups.weights import LAG, weight_tables

__all__ = [
    "ABSENT",
    "GROUP_KEYS",
    "LAG",
    "OFFSETS_TOPIC",
    "UNKNOWN_STRATEGY",
    "FleetGroup",
    "HashCollisionError",
    "HomogeneousRows",
    "Lookup",
    "OffsetsTopic",
    "Seat",
    "claims_of",
    "coordinating_brokers",
    "coordinators",
    "encode",
    "failed",
    "named_group",
    "one_row",
    "outlived",
    "outlived_in_time",
    "own_strategy",
    "portions",
    "read_homogeneous",
    "read_or_failed",
    "row_of_group",
    "rows_in_frames",
    "rows_of",
    "seat_of",
    "seat_of_group",
    "tasks_for_rows",
    "weighed_rows",
    "weight_tables",
    "with_like_members",
]
