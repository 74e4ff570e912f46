"""What partitions weigh, of all rows of a batch that can be planned at once."""

from collections.abc import Sequence

import numpy as np

from optimizer.model import IntArray, Reals, WeighedGroups, weighed
from spark.groups.encoded_row import EncodedRow
from spark.groups.homogeneous import HomogeneousRows
from spark.groups.weights import LAG, UNKNOWN


def with_like_members(rows: Sequence[EncodedRow]) -> list[EncodedRow]:
    """The rows whose members are all as strong as each other, and have a capacity at all."""
    items = [row for row in rows if len(row.capacities)]
    if not items:
        return []
    capacity, first = _capacities(items)
    least, most = np.minimum.reduceat(capacity, first), np.maximum.reduceat(capacity, first)
    fine = (least == most) & (least > 0) & (most < np.inf)
    return [row for row, is_fine in zip(items, fine.tolist(), strict=True) if is_fine]


def weighed_rows(read: HomogeneousRows, source: str) -> WeighedGroups:
    """The groups of rows of like members, weighed by a source: see `spark.groups.weights`."""
    capacity, first = _capacities(read.rows)
    return weighed(read.groups, _weights_of(read, source), capacity[first])


def _capacities(rows: Sequence[EncodedRow]) -> tuple[Reals, IntArray]:
    """The capacities of all members, 1 where none is known, and where those of each row begin."""
    capacity = np.concatenate([row.capacities for row in rows]).astype(np.float64)
    count = np.array([len(row.capacities) for row in rows])
    return np.where(np.isnan(capacity), 1.0, capacity), count.cumsum() - count


def _weights_of(read: HomogeneousRows, source: str) -> Reals:
    """The weight of each partition, NaN where it isn't known."""
    first = read.groups.first_of_topic
    number: IntArray = read.column(f"{source}_partitions")
    if source == LAG:
        topic = read.topics_of("lag_topics")
    else:
        topic = np.arange(len(first) - 1).repeat(read.column(f"{source}_counts"))
    values = np.concatenate([getattr(row, f"{source}_values") for row in read.rows])
    result = np.full(int(first[-1]), UNKNOWN)
    exists = (topic >= 0) & (number >= 0)
    exists[exists] = number[exists] < np.diff(first)[topic[exists]]
    result[first[topic[exists]] + number[exists]] = values[exists]
    return result
