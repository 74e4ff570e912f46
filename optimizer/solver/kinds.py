"""Partitions that differ in nothing that the goals look at, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from optimizer.model import Goals, IntArray, Limits, Problem, classes_of, limits_of, ranges
from optimizer.solver.costs import CostTable, Flags, costs_of


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
    """The classes of a problem under its limits, cut into partitions that cost the same."""
    classes = classes_of(problem)
    kinds = Kinds(classes.of_partition, classes.owner_pair, classes.offsets, classes.members)
    if limits := limits_of(problem, goals.limits):
        kinds = _without_the_barred(kinds, limits)
    for level, table in costs_of(problem, goals).items():
        kinds = _cut_by_cost(kinds, level, table)
    return kinds


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


def _cut_by_cost(kinds: Kinds, level: str, table: CostTable) -> Kinds:
    costs, row_of = np.unique(table.costs, axis=0, return_inverse=True)
    cut, row = _cut(kinds, row_of.reshape(-1)[table.row_of], len(costs))
    flags = costs[row.repeat(np.diff(cut.offsets)), table.column_of[cut.members]]
    return replace(cut, costs={**cut.costs, level: flags})


def _cut(kinds: Kinds, row_of: IntArray, rows: int) -> tuple[Kinds, IntArray]:
    """The kinds cut into partitions of one row each, and the rows of these."""
    before = kinds.of_partition
    key = np.where(before >= 0, before * rows + row_of, -1)
    present = np.bincount(key + 1, minlength=(len(kinds.offsets) - 1) * rows + 1)[1:] > 0
    number = np.concatenate((present.cumsum() - 1, [-1]))
    of_partition, kind = number[key], present.nonzero()[0]
    cut = kind // rows
    sizes = (kinds.offsets[1:] - kinds.offsets[:-1])[cut]
    offsets = np.concatenate(([0], sizes.cumsum()))
    pairs = ranges(kinds.offsets[cut], sizes)
    # A pair stands where it stood among those of the kind that was cut.
    rank = kinds.owner_pair - kinds.offsets[before]
    found = Kinds(
        of_partition=of_partition,
        owner_pair=np.where(kinds.owner_pair >= 0, offsets[of_partition] + rank, -1),
        offsets=offsets,
        members=kinds.members[pairs],
        costs={level: flags[pairs] for level, flags in kinds.costs.items()},
    )
    return found, kind % rows


def kinds_if_nothing_moves(kinds: Kinds, owner: IntArray) -> Kinds:
    """The kinds of a group in which nothing moves: only its owner may read what can be kept."""
    kept = kinds.owner_pair >= 0
    owners, number = np.unique(owner[kept], return_inverse=True)
    of_partition, owner_pair = kinds.of_partition.copy(), np.full_like(owner, -1)
    of_partition[kept] = len(kinds.offsets) - 1 + number
    owner_pair[kept] = len(kinds.members) + number
    free = np.zeros(len(owners), np.bool_)  # what can't be changed costs nothing
    return Kinds(
        of_partition=of_partition,
        owner_pair=owner_pair,
        offsets=np.concatenate((kinds.offsets, kinds.offsets[-1] + 1 + np.arange(len(owners)))),
        members=np.concatenate((kinds.members, owners)),
        costs={level: np.append(flags, free) for level, flags in kinds.costs.items()},
    )
