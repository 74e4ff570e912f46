"""The best choice of a placement, with prices that prove it.

All partitions at once where few kinds of them are different. Otherwise most stand still as they
were first chosen, some are free, and their best choice prices the brokers; whoever would rather
have another choice at these prices is freed as well, until nobody would.
"""

from typing import NamedTuple

import numpy as np

from optimizer.replicas.arrays import IntArray
from optimizer.replicas.cells import cells_of
from optimizer.replicas.distribute import distribute
from optimizer.replicas.improve import carry_out
from optimizer.replicas.network import flow_through
from optimizer.replicas.placement import Placement
from optimizer.replicas.prices import Prices, with_cheaper
from optimizer.replicas.residual import prices_of, search
from optimizer.replicas.start import first_choice

CELLS = 12_000
"""More cells than that are not solved at once."""

FREE_SHARE = 0.05


class Solved(NamedTuple):
    """Brokers of each partition, in no order, and prices that prove that nothing is better."""

    brokers: IntArray
    prices: Prices


def solve(placement: Placement) -> Solved:
    """The best choice there is."""
    if not placement.partitions:
        return _improved(placement, np.empty((0, placement.width), np.int64))
    cells = cells_of(placement)
    if len(cells.size) <= CELLS:
        return _improved(placement, distribute(placement, cells, flow_through(placement, cells)))
    indices = first_choice(placement)
    free = np.random.default_rng(placement.partitions).random(placement.partitions) < FREE_SHARE
    free[0] = True
    while True:
        rows = np.flatnonzero(free)
        part = placement.rows(indices, rows)
        cells = cells_of(part)
        solved = _improved(part, distribute(part, cells, flow_through(part, cells)))
        indices[rows] = solved.brokers
        wanting = with_cheaper(placement, indices, solved.prices)
        if not wanting.any():
            return Solved(indices, solved.prices)
        free |= wanting


def _improved(placement: Placement, indices: IntArray) -> Solved:
    """The choice after all that single exchanges, in cycles, can make better."""
    while (searched := search(placement, indices)).cycles:
        carry_out(placement, indices, searched)
    return Solved(indices, prices_of(placement, searched))
