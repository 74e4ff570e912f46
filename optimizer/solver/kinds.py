"""Partitions that differ in nothing that the goals look at, put together; and by cost as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    Flags,
    Goals,
    IntArray,
    Limits,
    Problem,
    classes_of,
    distinct,
    limits_of,
    occurs,
    rack_table_of,
    ranges,
)

FEWER = 7
"""Hubs are used if they have this many times fewer arcs than one for each kind and reader.

With three racks direct arcs are as fast, with eight they aren't.
"""


@dataclass(frozen=True)
class Kinds:
    """Partitions of one kind have the same readers, and cost each reader the same.

    `of_partition` has the kind of each partition, -1 where nobody subscribes. A kind and one of its
    readers are a pair; those of kind k are offsets[k]:offsets[k + 1] of `members`. `owner_pair` has
    the pair of each partition and its owner, -1 where the owner can't keep it. `costs` tells for
    each level at which anything costs anything, such as reads across racks, which pairs do.
    """

    of_partition: IntArray
    owner_pair: IntArray
    offsets: IntArray
    members: IntArray
    costs: Mapping[str, Flags] = field(default_factory=dict)


def kinds_of(problem: Problem, goals: Goals) -> Kinds:
    """The classes of a problem under its limits; what partitions cost isn't examined."""
    classes = classes_of(problem)
    kinds = Kinds(classes.of_partition, classes.owner_pair, classes.offsets, classes.members)
    if limits := limits_of(problem, goals.limits):
        kinds = _without_the_barred(kinds, limits)
    return kinds


def kinds_by_cost(kinds: Kinds, tables: Mapping[str, CostTable]) -> Kinds:
    """The kinds cut into partitions that cost each reader the same."""
    for level, table in tables.items():
        cut, row = _cut(kinds, rows_that_matter(kinds, table), int(table.row_of.max()) + 1)
        column = table.column_of[cut.members]
        costs = table.costs(row.repeat(np.diff(cut.offsets)), column)
        kinds = replace(cut, costs={**cut.costs, level: costs})
    return kinds


def rows_that_matter(kinds: Kinds, table: CostTable) -> IntArray:
    """The row of each partition: FREE_ROW where the only reader has to pay any cost."""
    can_choose = np.append(np.diff(kinds.offsets) > 1, False)
    return np.where(can_choose[kinds.of_partition], table.row_of, FREE_ROW)


def kinds_by_topic(kinds: Kinds, topic_of: IntArray) -> tuple[Kinds, IntArray]:
    """The kinds cut into those of a topic each, and the topics of these."""
    return _cut(kinds, topic_of, int(topic_of.max(initial=0)) + 1)


def _without_the_barred(kinds: Kinds, limits: Limits) -> Kinds:
    """The kinds with those readers alone whom limits allow."""
    if limits.allowed.all():
        return kinds
    cut, row = _cut(kinds, limits.row_of, len(limits.allowed))
    kind = np.arange(len(row)).repeat(np.diff(cut.offsets))
    kept = limits.allowed[row[kind], cut.members]
    number = np.append(np.where(kept, kept.cumsum() - 1, -1), -1)
    return Kinds(
        of_partition=cut.of_partition,
        owner_pair=number[cut.owner_pair],
        offsets=np.append(0, np.bincount(kind[kept], minlength=len(row)).cumsum()),
        members=cut.members[kept],
    )


def _cut(kinds: Kinds, row_of: IntArray, rows: int) -> tuple[Kinds, IntArray]:
    """The kinds cut into partitions of one row each, and the rows of these."""
    before = kinds.of_partition
    read = before >= 0
    key = before[read] * rows + row_of[read]
    kind, number = distinct(key, (len(kinds.offsets) - 1) * rows)
    of_partition = np.full_like(before, -1)
    of_partition[read] = number
    cut = kind // rows
    sizes = (kinds.offsets[1:] - kinds.offsets[:-1])[cut]
    offsets = np.concatenate(([0], sizes.cumsum()))
    pairs = ranges(kinds.offsets[cut], sizes)
    # A pair stands where it stood among those of the kind that was cut.
    rank = kinds.owner_pair - kinds.offsets[before]
    finer = Kinds(
        of_partition=of_partition,
        owner_pair=np.where(kinds.owner_pair >= 0, offsets[of_partition] + rank, -1),
        offsets=offsets,
        members=kinds.members[pairs],
        costs={level: flags[pairs] for level, flags in kinds.costs.items()},
    )
    return finer, kind % rows


def kinds_if_nothing_moves(kinds: Kinds, owner: IntArray) -> Kinds:
    """The kinds of a group in which nothing moves: only its owner may read what can be kept."""
    kept = kinds.owner_pair >= 0
    owners, number = np.unique(owner[kept], return_inverse=True)
    of_partition, owner_pair = kinds.of_partition.copy(), np.full_like(owner, -1)
    of_partition[kept] = len(kinds.offsets) - 1 + number
    owner_pair[kept] = len(kinds.members) + number
    return Kinds(
        of_partition=of_partition,
        owner_pair=owner_pair,
        offsets=np.concatenate((kinds.offsets, kinds.offsets[-1] + 1 + np.arange(len(owners)))),
        members=np.concatenate((kinds.members, owners)),
    )


@dataclass(frozen=True)
class CostClasses:
    """Kinds cut into partitions that cost the same, without a pair for each of their readers.

    `of_partition` has the fine kind of each partition, or -1. Of each fine kind `numbers` has its
    number, `kind` the kind that it is of, `supply` how many partitions it has, and `costly` whether
    they cost anybody anything at `level`. `free` are entries of a fine kind and a column that costs
    nothing all the same, in the order of both, and `column` has that of each pair of a kind and its
    reader. `owned` has how many partitions an owner has of a fine kind, `owned_fine` and
    `owned_pair` which, and `owned_costs` whether they cost it anything. Everything else is counted
    from 0.
    """

    level: str
    of_partition: IntArray
    numbers: IntArray
    kind: IntArray
    supply: IntArray
    costly: Flags
    free: tuple[IntArray, IntArray]
    column: IntArray
    owned_fine: IntArray
    owned_pair: IntArray
    owned: IntArray
    owned_costs: Flags

    def restricted_to(self, pairs: IntArray, kind_of_pair: IntArray) -> CostClasses:
        """Cost classes of some pairs (ascending), renumbered as `Demand.restricted_to` does."""
        if len(pairs) == len(kind_of_pair):
            return self
        kinds, _ = distinct(kind_of_pair[pairs], int(kind_of_pair[-1]) + 1)
        mine = occurs(self.kind, kinds)
        number = np.where(mine, mine.cumsum() - 1, -1)
        fine, column = self.free
        is_free = mine[fine]
        is_owned = occurs(self.owned_pair, pairs)
        return CostClasses(
            level=self.level,
            of_partition=self.of_partition,
            numbers=self.numbers[mine],
            kind=kinds.searchsorted(self.kind[mine]),
            supply=self.supply[mine],
            costly=self.costly[mine],
            free=(number[fine[is_free]], column[is_free]),
            column=self.column[pairs],
            owned_fine=number[self.owned_fine[is_owned]],
            owned_pair=pairs.searchsorted(self.owned_pair[is_owned]),
            owned=self.owned[is_owned],
            owned_costs=self.owned_costs[is_owned],
        )


def cost_classes(kinds: Kinds, tables: Mapping[str, CostTable], members: int) -> CostClasses | None:
    """The kinds cut so; None where arcs to readers will do."""
    if len(tables) != 1:
        return None
    (level, table), sizes = *tables.items(), np.diff(kinds.offsets)
    rows = int(table.row_of.max()) + 1
    read = kinds.of_partition >= 0
    key = kinds.of_partition[read] * rows + rows_that_matter(kinds, table)[read]
    cut, number = distinct(key, len(sizes) * rows)
    kind, row = np.divmod(cut, rows)
    costly = row != FREE_ROW
    starts = table.free.searchsorted(np.arange(rows + 1) * table.columns)
    free_count = np.where(costly, np.diff(starts)[row] + 1, 0)
    if FEWER * (len(kind) + int(free_count.sum()) + len(kinds.members)) >= sizes[kind].sum():
        return None
    of_partition = np.full_like(kinds.of_partition, -1)
    of_partition[read] = number
    own, owned = np.unique(
        of_partition[kinds.owner_pair >= 0] * len(kinds.members)
        + kinds.owner_pair[kinds.owner_pair >= 0],
        return_counts=True,
    )
    owned_fine, owned_pair = np.divmod(own, max(len(kinds.members), 1))
    column = np.where(table.column_of < 0, table.columns, table.column_of)[kinds.members]
    owner_column = table.column_of[kinds.members[owned_pair]]
    return CostClasses(
        level=level,
        of_partition=of_partition,
        numbers=np.arange(len(kind)),
        kind=kind,
        supply=np.bincount(number, minlength=len(kind)),
        costly=costly,
        free=_free_columns(table, row, starts),
        column=column,
        owned_fine=owned_fine,
        owned_pair=owned_pair,
        owned=owned,
        owned_costs=table.costs(row[owned_fine], owner_column),
    )


def _free_columns(table: CostTable, row: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
    """Fine kinds and columns that cost nothing; the last column is that of who never pays."""
    costly = (row != FREE_ROW).nonzero()[0]
    counts = np.diff(starts)[row[costly]]
    fine = np.concatenate((costly.repeat(counts), costly))
    listed = table.free[ranges(starts[row[costly]], counts)] % max(table.columns, 1)
    return fine, np.concatenate((listed, np.full(len(costly), table.columns)))


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
