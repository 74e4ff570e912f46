"""The racks of partitions in an encoded row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spark.groups.encoded_row import EncodedRow
from spark.groups.topics import Topics


class PartitionRacks(NamedTuple):
    """The rack of each partition's leader, and those of its replicas; None, () where not known."""

    leaders: list[str | None]
    replicas: list[tuple[str, ...]]


def read_racks(row: EncodedRow, topics: Topics) -> PartitionRacks | None:
    """The racks in a row of `spark.groups.encode`; None if it has none."""
    sizes = getattr(row, "place_sizes", ())
    if not len(sizes):
        return None
    topic = topics.subscribed.repeat(row.place_counts).repeat(sizes)
    partition = topics.offsets[topic] + row.place_partitions
    places = np.arange(len(sizes)).repeat(sizes)
    count = int(topics.offsets[-1])
    leaders, replicas = np.full(count, None), np.full(count, None)
    replicas[:] = [()]
    leaders[partition] = row.place_leaders[places]
    sets = np.empty(len(sizes), object)
    sets[:] = list(map(tuple, row.place_replicas))
    replicas[partition] = sets[places]
    return PartitionRacks(leaders.tolist(), replicas.tolist())
