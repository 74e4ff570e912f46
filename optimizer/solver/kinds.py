"""Partitions that differ in nothing that the goals look at, put together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimizer.model import Goals, IntArray, Problem, RackTable, classes_of, rack_table_of, ranges


@dataclass(frozen=True)
class Kinds:
    """Partitions of one kind have the same readers, and each reader reads all of them as near.

    `of_partition` has the kind of each partition, -1 where nobody subscribes. A kind and one of its
    readers are a pair; those of kind s are offsets[s]:offsets[s + 1] of `members` and of `remote`,
    which tells whether the member reads across racks (None: nobody does, as far as is known).
    `owner_pair` has the pair of each partition and its owner, -1 where the owner can't keep it.
    """

    of_partition: IntArray
    owner_pair: IntArray
    offsets: IntArray
    members: IntArray
    remote: NDArray[np.bool_] | None


def kinds_of(problem: Problem, goals: Goals) -> Kinds:
    """The classes of a problem; if racks matter, cut into partitions that are near to the same."""
    table = rack_table_of(problem, goals.rack)
    if table is None or not table.remote.any():
        classes = classes_of(problem)
        return Kinds(
            classes.of_partition, classes.owner_pair, classes.offsets, classes.members, remote=None
        )
    return _cut(problem, table)


def _cut(problem: Problem, table: RackTable) -> Kinds:
    classes = classes_of(problem)
    class_of, pair = classes.of_partition, classes.owner_pair
    remote, row = np.unique(table.remote, axis=0, return_inverse=True)
    key = np.where(class_of >= 0, class_of * len(remote) + row.reshape(-1)[table.rack_place_of], -1)
    present = np.bincount(key + 1, minlength=len(classes) * len(remote) + 1)[1:] > 0
    number = np.append(present.cumsum() - 1, -1)
    of_partition, kind = number[key], present.nonzero()[0]
    c = kind // len(remote)
    sizes = np.diff(classes.offsets)[c]
    offsets = np.concatenate(([0], sizes.cumsum()))
    members = classes.members[ranges(classes.offsets[c], sizes)]
    # A pair has the same place among those of its kind as among those of its class.
    place = pair - classes.offsets[class_of]
    return Kinds(
        of_partition=of_partition,
        owner_pair=np.where(pair >= 0, offsets[of_partition] + place, -1),
        offsets=offsets,
        members=members,
        remote=remote[(kind % len(remote)).repeat(sizes), table.rack_of[members]],
    )


def kinds_if_nothing_moves(kinds: Kinds, owner: IntArray) -> Kinds:
    """The kinds of a group in which nothing moves: only its owner may read what can be kept."""
    kept = kinds.owner_pair >= 0
    owners, number = np.unique(owner[kept], return_inverse=True)
    of_partition, owner_pair = kinds.of_partition.copy(), np.full_like(owner, -1)
    of_partition[kept] = len(kinds.offsets) - 1 + number
    owner_pair[kept] = len(kinds.members) + number
    remote = kinds.remote
    return Kinds(
        of_partition=of_partition,
        owner_pair=owner_pair,
        offsets=np.concatenate((kinds.offsets, kinds.offsets[-1] + 1 + np.arange(len(owners)))),
        members=np.concatenate((kinds.members, owners)),
        # What can't be changed costs nothing.
        remote=None if remote is None else np.append(remote, np.zeros(len(owners), np.bool_)),
    )
