"""Partitions that differ in nothing that the goals look at, put together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimizer.arrays import IntArray, ranges
from optimizer.goals import Goals
from optimizer.near import Near, near_of
from optimizer.problem import Problem


@dataclass(frozen=True)
class Sorts:
    """Partitions of one sort have the same readers, and each reader reads all of them as near.

    `of_partition` has the sort of each partition, -1 where nobody subscribes. A sort and one of its
    readers are a pair; those of sort s are offsets[s]:offsets[s + 1] of `members` and of `remote`,
    which tells whether the member reads across racks (None: nobody does, as far as is known).
    `owner_pair` has the pair of each partition and its owner, -1 where the owner can't keep it.
    """

    of_partition: IntArray
    owner_pair: IntArray
    offsets: IntArray
    members: IntArray
    remote: NDArray[np.bool_] | None


def sorts_of(problem: Problem, goals: Goals) -> Sorts:
    """The classes of a problem; if racks matter, cut into partitions that are near to the same."""
    near = near_of(problem, goals.rack) if goals.rack else None
    if near is None or not near.remote.any():
        classes = problem.classes
        return Sorts(
            problem.class_of, problem.owner_pair, classes.offsets, classes.members, remote=None
        )
    return _cut(problem, near)


def _cut(problem: Problem, near: Near) -> Sorts:
    classes, class_of = problem.classes, problem.class_of
    remote, row = np.unique(near.remote, axis=0, return_inverse=True)
    key = np.where(class_of >= 0, class_of * len(remote) + row.reshape(-1)[near.place_of], -1)
    present = np.bincount(key + 1, minlength=len(classes) * len(remote) + 1)[1:] > 0
    number = np.append(present.cumsum() - 1, -1)
    of_partition, sort = number[key], present.nonzero()[0]
    c = sort // len(remote)
    sizes = np.diff(classes.offsets)[c]
    offsets = np.concatenate(([0], sizes.cumsum()))
    members = classes.members[ranges(classes.offsets[c], sizes)]
    # A pair has the same place among those of its sort as among those of its class.
    place = problem.owner_pair - classes.offsets[class_of]
    return Sorts(
        of_partition=of_partition,
        owner_pair=np.where(problem.owner_pair >= 0, offsets[of_partition] + place, -1),
        offsets=offsets,
        members=members,
        remote=remote[(sort % len(remote)).repeat(sizes), near.rack_of[members]],
    )


def standing(sorts: Sorts, owner: IntArray) -> Sorts:
    """The sorts of a group in which nothing moves: only its owner may read what can be kept."""
    kept = sorts.owner_pair >= 0
    owners, number = np.unique(owner[kept], return_inverse=True)
    of_partition, owner_pair = sorts.of_partition.copy(), np.full_like(owner, -1)
    of_partition[kept] = len(sorts.offsets) - 1 + number
    owner_pair[kept] = len(sorts.members) + number
    remote = sorts.remote
    return Sorts(
        of_partition=of_partition,
        owner_pair=owner_pair,
        offsets=np.concatenate((sorts.offsets, sorts.offsets[-1] + 1 + np.arange(len(owners)))),
        members=np.concatenate((sorts.members, owners)),
        # What can't be changed costs nothing.
        remote=None if remote is None else np.append(remote, np.zeros(len(owners), np.bool_)),
    )
