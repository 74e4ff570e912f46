"""Array idioms that numpy lacks."""

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

NOTHING: IntArray = np.empty(0, np.int64)

SPARSE = 64
"""Keys are sorted if they are fewer than one in this many numbers."""


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """`start, start + 1, …` of each length, one after the other."""
    ends = lengths.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    before: IntArray = starts - ends + lengths
    return np.arange(total) + before.repeat(lengths)


def run_starts(keys: IntArray) -> IntArray:
    """Where each run of equal keys begins."""
    begins = np.empty(len(keys), np.bool_)
    begins[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    return begins.nonzero()[0]


def distinct(keys: IntArray, end: int) -> tuple[IntArray, IntArray]:
    """The numbers below `end` that occur, ascending, and the place of each key among them.

    It is `np.unique`, which sorts, and takes much longer for few keys than to look at all numbers.
    """
    if end > SPARSE * len(keys):
        return np.unique(keys, return_inverse=True)
    is_there = np.zeros(end, np.bool_)
    is_there[keys] = True
    return is_there.nonzero()[0], (is_there.cumsum() - 1)[keys]


def occurs(wanted: IntArray, keys: IntArray) -> Flags:
    """Whether each number is one of the keys, which ascend."""
    if not len(keys):
        return np.zeros(np.shape(wanted), np.bool_)
    is_found: Flags = keys.take(keys.searchsorted(wanted), mode="clip") == wanted
    return is_found


def sorted_positions(keys: IntArray, positions: IntArray) -> IntArray:
    """The places from 0 on, sorted by keys of 0 or more, of which no two are equal.

    Sorting numbers that hold both takes numpy a third of the time of `argsort`, where they fit.
    """
    bits = len(positions).bit_length()
    if int(keys.max(initial=0)) >> (62 - bits):
        order: IntArray = keys.argsort()
        return order
    both = keys << bits | positions
    both.sort()
    return both & ((1 << bits) - 1)


def stable_order(keys: IntArray, end: int) -> IntArray:
    """Indexes that sort keys from 0 to `end` - 1, equal ones in their order, in linear time.

    numpy sorts by radix what has sixteen bits, so longer keys are sorted sixteen bits at a time.
    """
    if end <= 1:
        return np.arange(len(keys))
    order = keys.astype(np.uint16).argsort(kind="stable")
    if end > 1 << 16:
        order = order[stable_order(keys[order] >> 16, ((end - 1) >> 16) + 1)]
    return order
