"""Sizes that lower the largest load, and the rates that each is enough for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Reals
from optimizer.scaling.process import Process

HEADROOM = 0.7
"""How much of its peak rate a member shall have to do at most."""

NARROW = 0.9
"""The same where even the largest size hardly leaves more room."""

ALMOST = 1 - 1e-9
"""A size that is enough for less than that share of what the best is enough for is worse."""


class UsefulSizes:
    """For each group the useful sizes up to `most`, and the rate that each is enough for.

    A size is enough where the most loaded member has at most `headroom` × its peak rate to do,
    while partitions share the rate as they do on average. Room isn't worth any number of members,
    where heavy partitions make it dear: a size that reads at its peak all that the largest size
    reads with that headroom, or `HEADROOM`, is enough up to `NARROW` × its peak rate. Where a hot
    partition is too much for any size, the smallest counts that is no worse than the largest.
    """

    def __init__(self, processes: Sequence[Process], headroom: float, most: int = 1000) -> None:
        of_group = [process.assignments.useful(most) for process in processes]
        width = max(map(len, of_group), default=1)
        self.sizes: IntArray = np.array([_padded(sizes, width) for sizes in of_group], np.int64)
        self.enough: Reals = np.full(self.sizes.shape, np.inf)
        for at, (process, sizes) in enumerate(zip(processes, of_group, strict=True)):
            shares = np.array([_largest_share(process, size) for size in sizes])
            capacity = np.maximum.accumulate(process.peak_rate / shares)
            best = int((capacity < capacity[-1] * ALMOST).sum())
            is_narrow = capacity >= max(headroom, HEADROOM) * capacity[-1]
            room = np.where(is_narrow, max(headroom, NARROW), headroom)
            self.enough[at, :best] = (room * capacity)[:best]

    def needed(self, rates: Reals) -> IntArray:
        """The smallest useful size that is enough for each group's rate; the best if none is."""
        at: NDArray[np.int64] = (self.enough < rates[:, None]).sum(axis=1)
        return np.take_along_axis(self.sizes, at[:, None], axis=1)[:, 0]


def _largest_share(process: Process, members: int) -> float:
    """Of the rate, that of the most loaded member."""
    weights = process.usual if process.usual.any() else np.ones(process.partitions)
    loads = np.bincount(process.assignments.owners(members), weights)
    return float(loads.max() / weights.sum())


def _padded(sizes: list[int], width: int) -> list[int]:
    return [*sizes, *[sizes[-1]] * (width - len(sizes))]
