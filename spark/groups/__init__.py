"""One row a group: encoded by Spark, or for one group without it, and read in a worker."""

from __future__ import annotations

from spark.groups.batches import portions, rows_of
from spark.groups.coordinators import coordinating_brokers, coordinators
from spark.groups.encode import ABSENT, GROUP_KEYS, claims_of, encode
from spark.groups.group import FleetGroup, failed, read_or_failed
from spark.groups.homogeneous import HomogeneousRows, read_homogeneous
from spark.groups.lookup import HashCollisionError, Lookup
from spark.groups.one_group import no_such_group, row_of_group, seat_of_group, several_clusters
from spark.groups.one_row import one_row
from spark.groups.seats import OFFSETS_TOPIC, OffsetsTopic, Seat, seat_of
from spark.groups.tasks import tasks_for_rows
from spark.groups.weights import weight_tables

__all__ = [
    "ABSENT",
    "GROUP_KEYS",
    "OFFSETS_TOPIC",
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
    "no_such_group",
    "one_row",
    "portions",
    "read_homogeneous",
    "read_or_failed",
    "row_of_group",
    "rows_of",
    "seat_of",
    "seat_of_group",
    "several_clusters",
    "tasks_for_rows",
    "weight_tables",
]
