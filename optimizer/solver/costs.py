"""What a partition can cost a member beside a move, 0 or 1: an entry a level of the goals."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from optimizer.model import Flags, Goals, IntArray, Problem, occurs, rack_table_of

FREE_ROW = 0
"""The row of what costs nobody anything."""


class CostTable(NamedTuple):
    """Partition p costs member m one, unless its row is FREE_ROW or the member's column is free.

    `row_of` has the row of each partition, `column_of` a column below `columns` for each member, or
    -1 for who pays nothing. `free` has row * `columns` + column, ascending, where a row costs
    nothing.
    """

    row_of: IntArray
    column_of: IntArray
    columns: int
    free: IntArray

    def costs(self, row: IntArray, column: IntArray) -> Flags:
        """Whether what is of some rows costs members of some columns one."""
        costs: Flags = (row != FREE_ROW) & (column >= 0)
        costs &= ~occurs(row * self.columns + column, self.free)
        return costs


def _reads_across_racks(problem: Problem, goals: Goals) -> CostTable | None:
    racks = rack_table_of(problem, goals.rack)
    if racks is None:
        return None
    place, rack = np.divmod(racks.near, racks.racks)
    near_all = np.bincount(place, minlength=len(racks.has_racks)) == racks.racks
    costly = racks.has_racks & ~near_all
    row = np.where(costly, costly.cumsum(), FREE_ROW)
    near = costly[place]
    return CostTable(
        row_of=row[racks.rack_set_of],
        column_of=racks.rack_of,
        columns=racks.racks,
        free=row[place[near]] * racks.racks + rack[near],
    )


COSTS: dict[str, Callable[[Problem, Goals], CostTable | None]] = {"racks": _reads_across_racks}
"""The table of each level; None where the group has nothing that matters there."""


def costs_of(problem: Problem, goals: Goals) -> dict[str, CostTable]:
    """The tables by level in which anything costs anybody anything."""
    tables = {level: COSTS[level](problem, goals) for level in goals.order if level in COSTS}
    return {
        level: table
        for level, table in tables.items()
        if table and (table.row_of != FREE_ROW).any()
    }
