"""Guesses of the loads in a balanced assignment, to aim the flow's window."""

import numpy as np
from numpy.typing import NDArray

from optimizer.problem import IntArray
from optimizer.shares import Demand

SWEEPS = 3


def even_level(demand: Demand, member_count: int) -> IntArray:
    """Everybody at the mean: right wherever subscriptions overlap enough."""
    return np.full(member_count, int(demand.supply.sum()) // member_count)


def levels(demand: Demand, member_count: int) -> IntArray:
    """Pour each class in turn over its members until they stand level, narrow classes first.

    After some sweeps that take a class up and pour it again this is close to the balance.
    """
    load = np.zeros(member_count)
    poured = np.zeros(len(demand.members))
    narrow_first = np.argsort(np.diff(demand.offsets), kind="stable").tolist()
    for _ in range(SWEEPS):
        for c in narrow_first:
            pairs = slice(demand.offsets[c], demand.offsets[c + 1])
            members = demand.members[pairs]
            others = load[members] - poured[pairs]
            poured[pairs] = _fill(others, int(demand.supply[c]))
            load[members] = others + poured[pairs]
    return np.rint(load).astype(np.int64)


def _fill(ground: NDArray[np.float64], amount: int) -> NDArray[np.float64]:
    """How much water stands on each part of the ground when `amount` is poured over it."""
    heights = np.sort(ground)
    needed = np.arange(1, len(heights) + 1) * heights - np.cumsum(heights)
    under_water = int(np.searchsorted(needed, amount, side="right"))
    surface = (amount + heights[:under_water].sum()) / under_water
    return np.maximum(surface - ground, 0.0)
