"""What is true of partitions and members together, as reads across racks, by the bare facts."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from optimizer.model import Flags, Goals, IntArray, Problem, occurs, once_a_problem


class PairFacts(Protocol):
    """What is true of partition p and member m hangs on the row of p and the column of m.

    No two rows are the same.
    """

    @property
    def row_of(self) -> IntArray: ...

    @property
    def column_of(self) -> IntArray: ...

    @property
    def rows(self) -> int: ...

    def flags(self, row: IntArray, column: IntArray) -> Mapping[str, Flags]:
        """What is true of rows and columns, by name."""


class TableFacts(NamedTuple):
    """Facts of one name, as a table of rows and columns."""

    row_of: IntArray
    column_of: IntArray
    name: str
    table: Flags

    @property
    def rows(self) -> int:
        return len(self.table)

    def flags(self, row: IntArray, column: IntArray) -> Mapping[str, Flags]:
        return {self.name: self.table[row, column]}


class RackFacts(NamedTuple):
    """Who reads across racks ("racks"), and who within one ("local").

    A row is a set of racks, of which `named` tells whether it has any at all, and a column a rack
    of members, or the last one for members without; there neither is true. `near` has
    row * `columns` + column, ascending, for the racks of a set.
    """

    row_of: IntArray
    column_of: IntArray
    columns: int
    named: Flags
    near: IntArray

    @property
    def rows(self) -> int:
        return len(self.named)

    def flags(self, row: IntArray, column: IntArray) -> Mapping[str, Flags]:
        mask = self.named[row] & (column < self.columns)
        local = mask & occurs(row * self.columns + column, self.near)
        return {"racks": mask & ~local, "local": local}

    def near_columns(self, row: IntArray) -> tuple[IntArray, IntArray]:
        """The columns that are near to some rows, one row after the other, and how many each."""
        first = self.near.searchsorted(row * self.columns)
        last = self.near.searchsorted((row + 1) * self.columns)
        counts = last - first
        each = np.arange(int(counts.sum())) - (counts.cumsum() - counts).repeat(counts)
        return self.near[first.repeat(counts) + each] - row.repeat(counts) * self.columns, counts


@once_a_problem
def rack_facts_of(problem: Problem, rack: str | None) -> RackFacts | None:
    """The facts in the meaning of `Goals.rack`; None where no member or no partition has any."""
    values = problem.leader_racks if rack == "leader" else problem.replica_racks
    if rack is None or values is None or not any(problem.racks or ()):
        return None
    names = sorted({name for name in problem.racks or () if name})
    column = {name: index for index, name in enumerate(names)}
    near_of: dict[str | tuple[str, ...] | None, tuple[int, ...]] = {}
    for items in set(values):
        racks = [name for name in ((items,) if isinstance(items, str) else items or ()) if name]
        near = tuple(sorted({column[name] for name in racks if name in column}))
        near_of[items] = (*near, len(names)) if racks else ()
    rows = {near: at for at, near in enumerate(sorted(set(near_of.values())))}
    row_of_text = {subset: rows[near] for subset, near in near_of.items()}
    keys = [at * len(names) + item for near, at in rows.items() for item in near[:-1]]
    return RackFacts(
        row_of=np.fromiter(map(row_of_text.__getitem__, values), np.int64, len(values)),
        column_of=np.array(
            [column.get(name or "", len(names)) for name in problem.racks or ()], np.int64
        ),
        columns=len(names),
        named=np.array([near != () for near in rows], np.bool_),
        near=np.array(keys, np.int64),
    )


COSTS: dict[str, Callable[[Problem, Goals], PairFacts | None]] = {
    "racks": lambda problem, goals: rack_facts_of(problem, goals.rack)
}
"""The facts of each level, None where a group has none.

The flags of the level's own name in the facts tell what costs; others only go along.
"""


def cost_facts(problem: Problem, goals: Goals) -> list[PairFacts]:
    """The facts of all levels that the goals and the group have."""
    result = [COSTS[level](problem, goals) for level in goals.order if level in COSTS]
    return [pair_facts for pair_facts in result if pair_facts is not None]
