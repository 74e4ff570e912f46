"""Partitions that differ in nothing that the goals look at, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from optimizer.model import (
    Goals,
    IntArray,
    Limits,
    Problem,
    classes_of,
    distinct,
    limits_of,
    ranges,
)
from optimizer.solver.costs import FREE_ROW, CostTable, Flags


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
    """The classes of a problem under its limits; what partitions cost isn't looked at."""
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
    """The row of each partition: FREE_ROW where one reader has to pay whatever it costs."""
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
    result = Kinds(
        of_partition=of_partition,
        owner_pair=np.where(kinds.owner_pair >= 0, offsets[of_partition] + rank, -1),
        offsets=offsets,
        members=kinds.members[pairs],
        costs={level: flags[pairs] for level, flags in kinds.costs.items()},
    )
    return result, kind % rows


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
