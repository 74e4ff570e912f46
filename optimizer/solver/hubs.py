"""Partitions that differ in what they cost more than in who reads them: arcs by way of hubs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.flow import Arcs
from optimizer.model import IntArray, distinct, occurs, ranges
from optimizer.solver.costs import FREE_ROW, CostTable, Flags
from optimizer.solver.demand import Demand
from optimizer.solver.kinds import Kinds, rows_that_matter
from optimizer.solver.shares import level_weights

FEWER = 7
"""Hubs are taken where they have so many times fewer arcs than one for each kind and reader.

With three racks direct arcs are as fast, with eight they aren't (tests/bench/rack_grid.py).
"""


class Distribution(NamedTuple):
    """How many partitions of a fine kind a pair of its kind gets; those of no pair aren't in it."""

    fine: IntArray
    pair: IntArray
    amount: IntArray


@dataclass(frozen=True)
class CostClasses:
    """Kinds cut into partitions that cost the same, without a pair for each of their readers.

    Of each fine kind `numbers` has its number, `kind` the kind that it is of, `supply` how many
    partitions it has, and `costly` whether they cost anybody anything at `level`. `free` are
    entries of a fine kind and a column that costs nothing all the same, in the order of both, and
    `column` has that of each pair of a kind and its reader. `owned` has how many partitions an
    owner has of a fine kind, `owned_fine` and `owned_pair` which, and `owned_costs` whether they
    cost it anything. Everything else is counted from 0.
    """

    level: str
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
        """Those of some pairs only (ascending), numbered anew as `Demand.of_pairs` does."""
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


def cost_classes(
    kinds: Kinds, tables: Mapping[str, CostTable], members: int
) -> tuple[CostClasses, IntArray] | None:
    """The fine kinds, and the fine kind of each partition; None where arcs to readers will do."""
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
    fine = CostClasses(
        level=level,
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
    return fine, of_partition


def _free_columns(table: CostTable, row: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
    """Fine kinds and columns that cost nothing; the last column is that of who never pays."""
    costly = (row != FREE_ROW).nonzero()[0]
    counts = np.diff(starts)[row[costly]]
    fine = np.concatenate((costly.repeat(counts), costly))
    listed = table.free[ranges(starts[row[costly]], counts)] % max(table.columns, 1)
    return fine, np.concatenate((listed, np.full(len(costly), table.columns)))


class AggregatedArcs:
    """A network's arcs from fine kinds to takers, by way of hubs.

    A kind has a hub for all of its readers, by which partitions cost what they cost most, and one
    for those of each column, by which they cost nothing where it is free. What owners have can stay
    along arcs of its own. `takers` has the node of each pair; hubs are numbered from `first` on.
    """

    def __init__(
        self, demand: Demand, fine: CostClasses, levels: Sequence[str], taker: IntArray, first: int
    ) -> None:
        self.fine = fine
        kinds, columns = len(demand.supply), int(fine.column.max(initial=0)) + 1
        columns = max(columns, int(fine.free[1].max(initial=0)) + 1)
        hubs, self._hub_of_pair = distinct(
            demand.kind_of_pair * columns + fine.column, kinds * columns
        )
        self._kind_of_hub = hubs // columns
        self.count = kinds + len(hubs)
        # A cycle passes no fine kind twice, and between two of them another node.
        passed = min(len(fine.supply), first + self.count - len(fine.supply))
        self.weights = {"moves": 0, **level_weights(demand, levels, passed, (fine.level,))}
        free_fine, free_column = fine.free
        wanted = fine.kind[free_fine] * columns + free_column
        there = occurs(wanted, hubs)
        self._free_fine = free_fine[there]
        self._free_hub = hubs.searchsorted(wanted[there])
        self._demand, self._taker, self._first = demand, taker, first
        self.arcs = self.at(self.weights)

    def at(self, weights: Mapping[str, int]) -> list[Arcs]:
        """The arcs at what they cost by the weights of levels."""
        demand, fine, taker, first = self._demand, self.fine, self._taker, self._first
        moved, costly = weights["moves"], weights.get(fine.level, 0)
        kinds, hubs = len(demand.supply), len(self._kind_of_hub)
        everybody, column = first + np.arange(kinds), first + kinds + np.arange(hubs)
        sources, free = np.arange(len(fine.supply)), np.full(len(self._free_fine), moved)
        pairs, nothing = np.arange(len(taker)), np.zeros(self.count + len(taker), np.int64)
        return [
            Arcs(fine.owned_fine, taker[fine.owned_pair], fine.owned, costly * fine.owned_costs),
            Arcs(sources, everybody[fine.kind], fine.supply, moved + costly * fine.costly),
            Arcs(self._free_fine, column[self._free_hub], fine.supply[self._free_fine], free),
            Arcs(
                everybody[self._kind_of_hub],
                column,
                demand.supply[self._kind_of_hub],
                nothing[:hubs],
            ),
            Arcs(
                column[self._hub_of_pair],
                taker,
                demand.supply[demand.kind_of_pair],
                nothing[: len(pairs)],
            ),
        ]

    @cached_property
    def _ends(self) -> IntArray:
        return np.cumsum([len(arcs.tail) for arcs in self.arcs])

    def shares(self, flows: IntArray) -> IntArray:
        """What each pair gets."""
        owned, _, _, _, taken = np.split(flows, self._ends)[:5]
        shares: IntArray = taken + np.bincount(self.fine.owned_pair, owned, len(taken)).astype(
            np.int64
        )
        return shares

    def given(self, flows: IntArray) -> Distribution:
        """Which fine kinds that is of: what comes into a hub goes on in the order of numbers."""
        owned, to_all, to_column, on, taken = np.split(flows, self._ends)[:5]
        by_all, hub, passed = matched((self.fine.kind, to_all), (self._kind_of_hub, on))
        fine = np.concatenate((by_all, self._free_fine))
        into = np.concatenate((hub, self._free_hub))
        order = np.lexsort((fine, into))
        amount = np.concatenate((passed, to_column))[order]
        fine, into = fine[order], into[order]
        source, pair, count = matched((into, amount), (self._hub_of_pair, taken))
        return Distribution(
            np.concatenate((self.fine.owned_fine, fine[source])),
            np.concatenate((self.fine.owned_pair, pair)),
            np.concatenate((owned, count)),
        )


def matched(
    left: tuple[IntArray, IntArray], right: tuple[IntArray, IntArray]
) -> tuple[IntArray, IntArray, IntArray]:
    """What comes into hubs and goes out of them put together: whence, where to, and how much.

    Each side has hubs and amounts, which come to the same at every hub.
    """
    sides = []
    for hub, amount in (left, right):
        items = amount.nonzero()[0]
        items = items[np.argsort(hub[items], kind="stable")]
        sides.append((items, amount[items].cumsum()))
    (source, before), (sink, after) = sides
    ends = np.union1d(before, after)
    starts = np.append(0, ends)[:-1]
    return (
        source[before.searchsorted(starts, "right")],
        sink[after.searchsorted(starts, "right")],
        ends - starts,
    )


def as_pairs(
    problem_owner: IntArray,
    kinds: Kinds,
    fine: CostClasses,
    of_partition: IntArray,
    given: Distribution,
    members: int,
) -> tuple[Kinds, Demand, IntArray]:
    """Fine kinds with those pairs alone that own any or get any, and how many each gets."""
    owned_key = fine.owned_fine * members + kinds.members[fine.owned_pair]
    given_key = given.fine * members + kinds.members[given.pair]
    keys = np.union1d(owned_key, given_key)
    offsets = keys.searchsorted(np.arange(len(fine.supply) + 1) * members)
    owned, shares = (
        np.bincount(keys.searchsorted(key), count, len(keys)).astype(np.int64)
        for key, count in ((owned_key, fine.owned), (given_key, given.amount))
    )
    kept = kinds.owner_pair >= 0
    wanted = of_partition * members + problem_owner
    result = Kinds(
        of_partition=of_partition,
        owner_pair=np.where(kept, keys.searchsorted(wanted), -1),
        offsets=offsets,
        members=keys % max(members, 1),
    )
    return result, Demand(fine.supply, offsets, result.members, owned, members), shares
