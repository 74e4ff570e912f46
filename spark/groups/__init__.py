"""One row a group: encoded by Spark, read in a worker."""

from __future__ import annotations

from spark.groups.batches import portions
from spark.groups.coordinators import OFFSETS_TOPIC, coordinating_brokers, coordinators
from spark.groups.encode import GROUP_KEYS, encode
from spark.groups.group import FleetGroup, failed, read_or_failed
from spark.groups.homogeneous import HomogeneousRows, read_homogeneous

__all__ = [
    "GROUP_KEYS",
    "OFFSETS_TOPIC",
    "FleetGroup",
    "HomogeneousRows",
    "coordinating_brokers",
    "coordinators",
    "encode",
    "failed",
    "portions",
    "read_homogeneous",
    "read_or_failed",
]
