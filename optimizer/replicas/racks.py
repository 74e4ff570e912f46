"""How many replicas of a partition each rack has, where they are as even as can be."""

from __future__ import annotations

import numpy as np

from optimizer.replicas.arrays import IntArray


def rack_bounds(replicas: IntArray, room: IntArray) -> tuple[IntArray, IntArray]:
    """The least and the most replicas of each rack in every choice of least Σ replicas².

    `replicas` (shapes) of a partition go to racks that have room for so many: (shapes, racks). By
    water-filling every rack is filled up to a level, and some of those with room left get one
    more; so any two racks' bounds can be met together, whoever else does what.
    """
    low = np.zeros_like(room)
    left = replicas.copy()
    while True:
        open_racks = room > low
        count = open_racks.sum(axis=1)
        full = (left >= count) & (count > 0) & (left > 0)
        if not full.any():
            break
        low = low + (open_racks & full[:, None])
        left = left - np.where(full, count, 0)
    high = low + ((room > low) & (left > 0)[:, None])
    return low, high
