"""Costs of partitions and members together, as reads across racks, by the bare facts alone.

Kinds are cut by them, also so fine that listing every reader of each kind would take more than the
group itself has: then pairs are those alone that an owner or the plan makes, and hubs lead to all
other readers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from optimizer.checker.kinds import Hubs, Kinds
from optimizer.model import (
    Flags,
    Goals,
    IntArray,
    Limits,
    Problem,
    distinct,
    occurs,
    once_a_problem,
    ranges,
)


class PairFacts(Protocol):
    """Facts about partition p and member m, by the row of p and the column of m.

    No two rows are the same.
    """

    @property
    def row_of(self) -> IntArray: ...

    @property
    def column_of(self) -> IntArray: ...

    @property
    def rows(self) -> int: ...

    def flags(self, row: IntArray, column: IntArray) -> Mapping[str, Flags]:
        """Flags of rows and columns, by the name of the fact."""


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
    """Pairs that read across racks ("racks"), and within one ("local").

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
    racks_of = problem.leader_racks if rack == "leader" else problem.replica_racks
    if rack is None or racks_of is None or not any(problem.racks or ()):
        return None
    names = sorted({name for name in problem.racks or () if name})
    column = {name: index for index, name in enumerate(names)}
    near_of: dict[str | tuple[str, ...] | None, tuple[int, ...]] = {}
    for racks in set(racks_of):
        named = [name for name in ((racks,) if isinstance(racks, str) else racks or ()) if name]
        near = tuple(sorted({column[name] for name in named if name in column}))
        near_of[racks] = (*near, len(names)) if named else ()
    rows = {near: at for at, near in enumerate(sorted(set(near_of.values())))}
    row_of_text = {subset: rows[near] for subset, near in near_of.items()}
    keys = [at * len(names) + number for near, at in rows.items() for number in near[:-1]]
    return RackFacts(
        row_of=np.fromiter(map(row_of_text.__getitem__, racks_of), np.int64, len(racks_of)),
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
    by_level = [COSTS[level](problem, goals) for level in goals.order if level in COSTS]
    return [pair_facts for pair_facts in by_level if pair_facts is not None]


FEWER = 7
"""Hubs are used if there are this many times fewer of them than pairs of a kind and a reader."""

ALLOWED = "allowed"


def kinds_under(kinds: Kinds, limits: Limits) -> Kinds:
    """The kinds with those readers alone whom limits allow."""
    if limits.allowed.all():
        return kinds
    allowed = TableFacts(limits.row_of, np.arange(kinds.member_count), ALLOWED, limits.allowed)
    finer = cut(kinds, allowed)
    may = finer.flags[ALLOWED]
    kind = np.arange(finer.kind_count).repeat(np.diff(finer.offsets))[may]
    return replace(
        finer,
        offsets=np.append(0, np.bincount(kind, minlength=finer.kind_count).cumsum()),
        member=finer.member[may],
        keys=finer.keys[may],
        flags={name: flags[may] for name, flags in finer.flags.items() if name != ALLOWED},
    )


def cut_by_facts(
    kinds: Kinds, levels: Sequence[PairFacts], owner: IntArray, target: IntArray
) -> Kinds:
    """Kinds cut by the facts of all levels; with hubs where racks make far too many pairs."""
    for pair_facts in levels:
        with_hubs = None
        if len(levels) == 1 and isinstance(pair_facts, RackFacts):
            with_hubs = cut_with_hubs(kinds, pair_facts, owner, target)
        kinds = with_hubs or cut(kinds, pair_facts)
    return with_cells(kinds)


def cut(kinds: Kinds, pair_facts: PairFacts) -> Kinds:
    """Cut every kind by what is true of its partitions."""
    kind_of, kind, row = _cut(kinds, pair_facts)
    counts = np.diff(kinds.offsets)[kind]
    pairs = ranges(kinds.offsets[kind], counts)
    member = kinds.member[pairs]
    flags = pair_facts.flags(row.repeat(counts), pair_facts.column_of[member])
    return Kinds(
        kind_of=kind_of,
        offsets=np.append(0, counts.cumsum()),
        member=member,
        keys=np.arange(len(kind)).repeat(counts) * kinds.member_count + member,
        member_count=kinds.member_count,
        flags={**{name: flag[pairs] for name, flag in kinds.flags.items()}, **flags},
        topic=kinds.topic[kind] if len(kinds.topic) else kinds.topic,
    )


def _cut(kinds: Kinds, pair_facts: PairFacts) -> tuple[IntArray, IntArray, IntArray]:
    """The finer kind of each partition; the kind that each of them is of, and its row."""
    read = kinds.kind_of >= 0
    key = kinds.kind_of[read] * pair_facts.rows + pair_facts.row_of[read]
    present, number = distinct(key, kinds.kind_count * pair_facts.rows)
    kind_of = np.full_like(kinds.kind_of, -1)
    kind_of[read] = number
    return kind_of, present // max(pair_facts.rows, 1), present % max(pair_facts.rows, 1)


def cut_with_hubs(
    kinds: Kinds, rack_facts: RackFacts, owner: IntArray, target: IntArray
) -> Kinds | None:
    """Kinds cut by racks, with hubs; None where pairs will do."""
    kind_of, kind, row = _cut(kinds, rack_facts)
    hubs = hubs_of(kind, row, kinds.offsets, kinds.member, rack_facts)
    if hubs is None:
        return None
    members = kinds.member_count
    pairs = [
        kind_of[may] * members + members_of[may]
        for members_of in (owner, target)
        for may in [kinds.pair_of(members_of) >= 0]
    ]
    keys = np.union1d(*pairs)
    of, member = np.divmod(keys, members)
    finer = Kinds(
        kind_of=kind_of,
        offsets=keys.searchsorted(np.arange(len(kind) + 1) * members),
        member=member,
        keys=keys,
        member_count=members,
        flags=rack_facts.flags(row[of], rack_facts.column_of[member]),
        topic=kinds.topic[kind] if len(kinds.topic) else kinds.topic,
        hubs=hubs,
    )
    if not len(kinds.topic):
        return finer
    topic = kinds.topic.repeat(np.diff(kinds.offsets))
    cells, cell = np.unique(topic * members + kinds.member, return_inverse=True)
    return replace(
        finer,
        cell=cells.searchsorted(finer.topic[of] * members + member),
        member_of_cell=cells % members,
        topic_of_cell=cells // members,
        hubs=replace(hubs, cell=cell.reshape(-1)),
    )


def with_cells(kinds: Kinds) -> Kinds:
    """Number the topics and members, if several kinds are of one topic."""
    if kinds.hubs is not None or not (kinds.topic[1:] == kinds.topic[:-1]).any():
        return kinds
    topic = kinds.topic.repeat(np.diff(kinds.offsets))
    cells, cell = np.unique(topic * kinds.member_count + kinds.member, return_inverse=True)
    return replace(
        kinds,
        cell=cell,
        member_of_cell=cells % kinds.member_count,
        topic_of_cell=cells // kinds.member_count,
    )


def hubs_of(
    class_of: IntArray, row: IntArray, offsets: IntArray, readers: IntArray, rack_facts: RackFacts
) -> Hubs | None:
    """The hubs of kinds that are each of a class and a row; None where pairs will do.

    The readers of class c are readers[offsets[c]:offsets[c + 1]].
    """
    sizes, columns = np.diff(offsets), rack_facts.columns + 1
    near, counts = rack_facts.near_columns(row)
    is_costly = rack_facts.named[row]
    most = len(row) + int(counts.sum()) + int(is_costly.sum()) + len(readers)
    if most * FEWER >= int(sizes[class_of].sum()):
        return None
    keys = np.arange(len(sizes)).repeat(sizes) * columns + rack_facts.column_of[readers]
    hubs, hub_of_reader = np.unique(keys, return_inverse=True)
    kinds = np.arange(len(row))
    # Members without a rack read nothing across racks.
    near_kind = np.concatenate((kinds.repeat(counts), kinds[is_costly]))
    column = np.concatenate((near, np.full(int(is_costly.sum()), rack_facts.columns)))
    wanted = class_of[near_kind] * columns + column
    is_hub = occurs(wanted, hubs)
    return Hubs(
        class_of=class_of,
        costly=is_costly,
        near_kind=near_kind[is_hub],
        near_hub=hubs.searchsorted(wanted[is_hub]),
        class_of_hub=hubs // columns,
        hub_of_reader=hub_of_reader.reshape(-1),
        reader=readers,
    )
