"""What arrays of this room are, and rows of them as numbers."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

NOBODY = -1
"""Stands where a row of brokers has no more of them."""


def row_numbers(columns: Iterable[IntArray]) -> tuple[IntArray, int]:
    """A number from 0 on for each different row of some columns, and how many there are."""
    key: IntArray | None = None
    most = 1
    for column in columns:
        low = int(column.min(initial=0))
        span = int(column.max(initial=0)) - low + 1
        if key is None:
            key, most = column - low, span
            continue
        if most > (1 << 62) // span:
            key, most = _compressed(key)
        step = column - low
        if most > (1 << 62) // span:
            step, span = _compressed(step)
        key, most = key * span + step, most * span
    assert key is not None
    return _compressed(key)


def _compressed(key: IntArray) -> tuple[IntArray, int]:
    values, numbers = np.unique(key, return_inverse=True)
    return numbers.astype(np.int64), max(len(values), 1)


def any_of(rows: BoolArray) -> BoolArray:
    """Which rows have any that is true."""
    result: BoolArray = np.logical_or.reduce(rows, axis=1)
    return result


def has(rows: IntArray, values: IntArray) -> BoolArray:
    """Which rows have the value beside them."""
    return any_of(rows == values[:, None])


def ranks_in_runs(keys: IntArray) -> IntArray:
    """The rank of each entry among those of its key; equal keys stand together."""
    at = np.arange(len(keys))
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return at - np.maximum.accumulate(np.where(first, at, 0))
