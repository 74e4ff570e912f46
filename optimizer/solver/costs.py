"""What a partition can cost a member beside a move, 0 or 1: an entry a level of the goals."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import Goals, IntArray, Problem, rack_table_of

Flags = NDArray[np.bool_]


class CostTable(NamedTuple):
    """Partition p costs member m one if `costs[row_of[p], column_of[m]]`."""

    row_of: IntArray
    column_of: IntArray
    costs: Flags


def _reads_across_racks(problem: Problem, goals: Goals) -> CostTable | None:
    racks = rack_table_of(problem, goals.rack)
    return racks and CostTable(racks.rack_place_of, racks.rack_of, racks.remote)


COSTS: dict[str, Callable[[Problem, Goals], CostTable | None]] = {
    "racks": _reads_across_racks,
}
"""The table of each level; None where the group has nothing that matters there."""


def costs_of(problem: Problem, goals: Goals) -> dict[str, CostTable]:
    """The tables by level in which anything costs anybody anything."""
    tables = {level: COSTS[level](problem, goals) for level in goals.order if level in COSTS}
    return {level: table for level, table in tables.items() if table and table.costs.any()}
