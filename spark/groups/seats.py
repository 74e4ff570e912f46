"""Who coordinates a group, and where its offsets are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from optimizer.strategies import string_hash
from spark.fleet import OFFSETS_TOPIC


class OffsetsTopic(NamedTuple):
    """A cluster's `OFFSETS_TOPIC`: how many partitions it has, and who leads each, if anybody."""

    partitions: int
    leaders: Mapping[int, int]

    @staticmethod
    def of(led: Iterable[tuple[int, int | None]]) -> OffsetsTopic:
        """Of its partitions and who leads each; nobody is None or negative."""
        pairs = list(led)
        leaders = {number: leader for number, leader in pairs if leader is not None and leader >= 0}
        return OffsetsTopic(len(pairs), leaders)


class CoordinatorLocation(NamedTuple):
    """What is known of a group's coordinator.

    `offsets_partition` of `OFFSETS_TOPIC` keeps its offsets, and `offsets_leader` leads that: None
    where the cluster doesn't tell. `coordinator` is the broker that the source named, or else that
    leader, and then `inferred`. `seat` says so as the end of a sentence; None where nothing is
    known.
    """

    offsets_partition: int | None
    offsets_leader: int | None
    coordinator: int | None
    inferred: bool
    seat: str | None


def location_of(
    group: str, reported: int | None, offsets: OffsetsTopic | None
) -> CoordinatorLocation:
    """Where a group's coordinator sits; `reported` is the one that the source named, if it did."""
    if offsets is None:
        words = None if reported is None else f"broker {reported} coordinates it"
        return CoordinatorLocation(None, None, reported, False, words)
    partition = coordinating_partition(group, offsets.partitions)
    leader = offsets.leaders.get(partition)
    inferred = reported is None and leader is not None
    led = "which has no leader" if leader is None else f"led by broker {leader}"
    words = f"its offsets are in {OFFSETS_TOPIC}-{partition}, {led}"
    if inferred:
        words += ", the likely coordinator"
    elif reported is not None:
        words += (
            ", its coordinator" if reported == leader else f"; broker {reported} coordinates it"
        )
    return CoordinatorLocation(
        partition, leader, leader if reported is None else reported, inferred, words
    )


def coordinating_partition(group: str, partitions: int) -> int:
    """The partition of __consumer_offsets whose leader coordinates a group.

    Kafka's Utils.abs of the name's hash, which is 0 for Integer.MIN_VALUE, modulo the topic's
    partitions (GroupMetadataManager.partitionFor).
    """
    hashed = string_hash(group)
    return (0 if hashed == 1 << 31 else min(hashed, (1 << 32) - hashed)) % partitions
