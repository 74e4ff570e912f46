"""Encoded rows, in portions that are small in a worker's memory, however large some groups are."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from spark.groups.encoded_row import EncodedRow

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 500_000
"""Partitions, claims and subscriptions of a portion; a group with more is a portion of its own."""


def rows_of(batch: pa.RecordBatch) -> Iterator[Any]:
    """The rows of a batch of Arrow's: named tuples, in which a list is an array of numpy's.

    They are those that pandas would make of it. Arrays of numbers are views of the batch.
    """
    columns = (column.to_numpy(zero_copy_only=False).tolist() for column in batch.columns)
    return map(_row_type(tuple(batch.schema.names)), *columns)


def portions(batches: Iterable[Iterable[Any]]) -> Iterator[list[Any]]:
    """The rows of batches of `spark.groups.encode`, in their order.

    What is made of a portion is in memory at once, so a batch of Spark's, which counts rows alone,
    may be too much. Most groups are so small that a batch is one portion.
    """
    for batch in batches:
        portion: list[Any] = []
        size = 0
        for row in batch:
            of_row = size_of(row)
            if portion and size + of_row > MAX_ROWS:
                yield portion
                portion, size = [], 0
            portion.append(row)
            size += of_row
        if portion:
            yield portion


def size_of(row: EncodedRow) -> int:
    """Partitions, claims and subscriptions of an encoded row."""
    sizes: list[int] = row.topic_sizes.tolist()
    return sum(size for size in sizes if size > 0) + len(row.claim_topics) + len(row.subscribers)


@cache
def _row_type(names: tuple[str, ...]) -> Any:
    return namedtuple("EncodedRow", names)
