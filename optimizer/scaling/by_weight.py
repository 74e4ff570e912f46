"""How many members are enough where partitions are assigned by weight instead of by count."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from optimizer.model import Reals
from optimizer.scaling.policies.useful_sizes import HEADROOM
from optimizer.scaling.process import Process

FEWER = 0.75
"""Of the members of its own strategy: a difference that is worth a sentence."""


def fewest_by_weight(process: Process, members: int) -> int | None:
    """The fewest members by weight that have no more to do than `members` of its own strategy.

    None unless that is `FEWER` of what its own strategy takes for the same. Loads are those of the
    highest rate, shared as partitions share it on average; up to `HEADROOM` × the peak rate is no
    more to do. By weight each partition, the heaviest first, goes to the fullest member with room.
    """
    if not process.usual.any():
        return None
    weights = process.usual / process.usual.sum() * process.total.max()
    size = min(members, process.partitions)
    limit = max(HEADROOM * process.peak_rate, _largest(process, size, weights))
    sizes = process.assignments.useful(size)
    own = next((item for item in sizes if _largest(process, item, weights) <= limit), size)
    fewest = _filled(weights.tolist(), limit)
    return fewest if fewest <= FEWER * own else None


def _largest(process: Process, members: int, weights: Reals) -> float:
    return float(np.bincount(process.assignments.owners(members), weights).max())


def _filled(weights: list[float], limit: float) -> int:
    """How many members it takes; `limit` is no less than the heaviest weight."""
    room: list[float] = []
    for weight in sorted(weights, reverse=True):
        at = bisect_left(room, weight)
        insort(room, (limit if at == len(room) else room.pop(at)) - weight)
    return len(room)
