"""Who coordinates a group, and where its offsets are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

OFFSETS_TOPIC = "__consumer_offsets"
"""Who leads a partition of it coordinates the groups whose offsets are kept there."""


class OffsetsTopic(NamedTuple):
    """A cluster's `OFFSETS_TOPIC`: how many partitions it has, and who leads each, if anybody."""

    partitions: int
    leaders: Mapping[int, int]


class CoordinatorLocation(NamedTuple):
    """What is known of a group's coordinator.

    `offsets_partition` of `OFFSETS_TOPIC` keeps its offsets, and `offsets_leader` leads that: None
    where the cluster doesn't tell. `coordinator` is the broker that the source named, or else that
    leader, and then `inferred`. `seat` says so as the end of a sentence; None where nothing is
    known. These are the columns of `spark.groups.coordinators`.
    """

    offsets_partition: int | None
    offsets_leader: int | None
    coordinator: int | None
    inferred: bool
    seat: str | None


def location_of(
    group: str, stated: int | None, offsets: OffsetsTopic | None
) -> CoordinatorLocation:
    """Where a group's coordinator sits; `stated` is the one that the source named, if it did."""
    if offsets is None:
        words = None if stated is None else f"broker {stated} coordinates it"
        return CoordinatorLocation(None, None, stated, False, words)
    partition = coordinating_partition(group, offsets.partitions)
    leader = offsets.leaders.get(partition)
    inferred = stated is None and leader is not None
    led = "which has no leader" if leader is None else f"led by broker {leader}"
    words = f"its offsets are in {OFFSETS_TOPIC}-{partition}, {led}"
    if inferred:
        words += " (its coordinator, as inferred from its name)"
    elif stated is not None:
        words += ", its coordinator" if stated == leader else f"; broker {stated} coordinates it"
    return CoordinatorLocation(
        partition, leader, leader if stated is None else stated, inferred, words
    )


def coordinating_partition(group: str, partitions: int) -> int:
    """The partition of __consumer_offsets whose leader coordinates a group.

    Kafka's Utils.abs of the name's hash, which is 0 for Integer.MIN_VALUE, modulo the topic's
    partitions (GroupMetadataManager.partitionFor).
    """
    hashed = string_hash(group)
    return (0 if hashed == 1 << 31 else min(hashed, (1 << 32) - hashed)) % partitions


def string_hash(text: str) -> int:
    """Java's String.hashCode, as an unsigned number of 32 bits.

    That is s[0]·31^(n-1) + … + s[n-1] over UTF-16 code units.
    """
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint32)
    powers = np.full(len(units), 31, np.uint32)
    powers[:1] = 1
    return int(units[::-1].dot(np.multiply.accumulate(powers, dtype=np.uint32)))
