"""One row a group: encoded by Spark, read in a worker."""

from __future__ import annotations

from spark.groups.batches import portions
from spark.groups.coordinators import coordinating_brokers, coordinators
from spark.groups.encode import ABSENT, GROUP_KEYS, claims_of, encode
from spark.groups.group import FleetGroup, failed, read_or_failed
from spark.groups.homogeneous import HomogeneousRows, read_homogeneous
from spark.groups.lookup import Lookup
from spark.groups.seats import OFFSETS_TOPIC, OffsetsTopic, Seat, seat_of

__all__ = [
    "ABSENT",
    "GROUP_KEYS",
    "OFFSETS_TOPIC",
    "FleetGroup",
    "HomogeneousRows",
    "Lookup",
    "OffsetsTopic",
    "Seat",
    "claims_of",
    "coordinating_brokers",
    "coordinators",
    "encode",
    "failed",
    "portions",
    "read_homogeneous",
    "read_or_failed",
    "seat_of",
]
