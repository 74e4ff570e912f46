"""Partitions that differ in nothing that the goals look at, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from optimizer.model import Goals, IntArray, Problem, classes_of, ranges
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
    """The classes of a problem, cut into partitions that cost the same."""
    classes = classes_of(problem)
    kinds = Kinds(classes.of_partition, classes.owner_pair, classes.offsets, classes.members)
    for level, table in costs_of(problem, goals).items():
        kinds = _cut(kinds, level, table)
    return kinds


def _cut(kinds: Kinds, level: str, table: CostTable) -> Kinds:
    costs, row = np.unique(table.costs, axis=0, return_inverse=True)
    before = kinds.of_partition
    key = np.where(before >= 0, before * len(costs) + row.reshape(-1)[table.row_of], -1)
    present = np.bincount(key + 1, minlength=(len(kinds.offsets) - 1) * len(costs) + 1)[1:] > 0
    number = np.append(present.cumsum() - 1, -1)
    of_partition, kind = number[key], present.nonzero()[0]
    cut = kind // len(costs)
    sizes = np.diff(kinds.offsets)[cut]
    offsets = np.concatenate(([0], sizes.cumsum()))
    pairs = ranges(kinds.offsets[cut], sizes)
    members = kinds.members[pairs]
    # A pair stands where it stood among those of the kind that was cut.
    rank = kinds.owner_pair - kinds.offsets[before]
    return Kinds(
        of_partition=of_partition,
        owner_pair=np.where(kinds.owner_pair >= 0, offsets[of_partition] + rank, -1),
        offsets=offsets,
        members=members,
        costs={
            **{known: flags[pairs] for known, flags in kinds.costs.items()},
            level: costs[(kind % len(costs)).repeat(sizes), table.column_of[members]],
        },
    )


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
