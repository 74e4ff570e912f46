"""Kinds cut by what is true of their partitions, also so fine that hubs stand for most readers.

Where listing every reader of each kind would take more than the group itself has, pairs are those
alone that an owner or the plan makes, and hubs lead to all other readers.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from optimizer.checker.facts import PairFacts, RackFacts, TableFacts
from optimizer.checker.kinds import Hubs, Kinds
from optimizer.model import IntArray, Limits, distinct, occurs, ranges

FEWER = 7
"""Hubs are used if there are this many times fewer of them than pairs of a kind and a reader."""

ALLOWED = "allowed"


def kinds_under(kinds: Kinds, limits: Limits) -> Kinds:
    """The kinds with those readers alone whom limits allow."""
    if limits.allowed.all():
        return kinds
    allowed = TableFacts(limits.row_of, np.arange(kinds.member_count), ALLOWED, limits.allowed)
    result = cut(kinds, allowed)
    may = result.flags[ALLOWED]
    kind = np.arange(result.kind_count).repeat(np.diff(result.offsets))[may]
    return replace(
        result,
        offsets=np.append(0, np.bincount(kind, minlength=result.kind_count).cumsum()),
        member=result.member[may],
        keys=result.keys[may],
        flags={name: flags[may] for name, flags in result.flags.items() if name != ALLOWED},
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
    result, number = distinct(key, kinds.kind_count * pair_facts.rows)
    kind_of = np.full_like(kinds.kind_of, -1)
    kind_of[read] = number
    return kind_of, result // max(pair_facts.rows, 1), result % max(pair_facts.rows, 1)


def cut_with_hubs(
    kinds: Kinds, rack_facts: RackFacts, owner: IntArray, target: IntArray
) -> Kinds | None:
    """The same with hubs; None where pairs will do."""
    kind_of, kind, row = _cut(kinds, rack_facts)
    hubs = hubs_of(kind, row, kinds.offsets, kinds.member, rack_facts)
    if hubs is None:
        return None
    members = kinds.member_count
    pairs = [
        kind_of[may] * members + items[may]
        for items in (owner, target)
        for may in [kinds.pair_of(items) >= 0]
    ]
    keys = np.union1d(*pairs)
    of, member = np.divmod(keys, members)
    result = Kinds(
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
        return result
    topic = kinds.topic.repeat(np.diff(kinds.offsets))
    cells, cell = np.unique(topic * members + kinds.member, return_inverse=True)
    return replace(
        result,
        cell=cells.searchsorted(result.topic[of] * members + member),
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
