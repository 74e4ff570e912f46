"""Encoded rows in portions that are small in a worker's memory, however large some groups are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MOST = 500_000
"""Partitions, claims and subscriptions of a portion; a group with more is a portion of its own."""


def portions(batches: Iterator[pd.DataFrame]) -> Iterator[list[Any]]:
    """The rows of batches of `spark.groups.encode`, in their order.

    What is made of a portion is in memory at once, so a batch of Spark's, which counts rows alone,
    may be too much. Most groups are so small that a batch is one portion.
    """
    for batch in batches:
        portion: list[Any] = []
        size = 0
        for row in batch.itertuples(index=False):
            of_row = size_of(row)
            if portion and size + of_row > MOST:
                yield portion
                portion, size = [], 0
            portion.append(row)
            size += of_row
        if portion:
            yield portion


def size_of(row: Any) -> int:
    """Partitions, claims and subscriptions of an encoded row."""
    partitions = int(row.topic_sizes.clip(0).sum(dtype=np.int64))
    return partitions + len(row.claim_topics) + len(row.subscribers)
