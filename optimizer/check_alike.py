"""Measures and proofs of many groups at once, with nothing of the solver."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.alike_groups import AlikeGroups
from optimizer.arrays import IntArray


class AlikeMeasures(NamedTuple):
    """`optimizer.measures.Measures` of each group, and whether it is proven to be optimal.

    `proven` is about balance and moves both; where it is False, nothing is said.
    """

    partitions: IntArray
    max_load: IntArray
    min_load: IntArray
    sum_squares: IntArray
    moves: IntArray
    proven: NDArray[np.bool_]


def check_alike(groups: AlikeGroups, target: IntArray) -> AlikeMeasures:
    """Measure an assignment, a member for each partition, and try to prove it optimal.

    Where everybody reads every topic, loads within one of each other are balanced; and of what
    each member owns at most ⌊P/M⌋ can stay, and one more with P mod M of those who own it, so what
    keeps as much moves the fewest.
    """
    first_member, first_partition = groups.member_offsets[:-1], groups.partition_offsets[:-1]
    members, partitions = np.diff(groups.member_offsets), np.diff(groups.partition_offsets)
    loads = np.bincount(target, minlength=members.sum())
    low, extra = np.divmod(partitions, members)
    max_load = np.maximum.reduceat(loads, first_member)
    min_load = np.minimum.reduceat(loads, first_member)
    owned = np.bincount(groups.owner + 1, minlength=len(loads) + 1)[1:]
    quota = low.repeat(members)
    richer = np.add.reduceat((owned > quota).astype(np.int64), first_member)
    can_stay = np.add.reduceat(np.minimum(owned, quota), first_member) + np.minimum(extra, richer)
    stay = np.add.reduceat((target == groups.owner).astype(np.int64), first_partition)
    was_owned = np.add.reduceat(owned, first_member)
    at_home = np.logical_and.reduceat(
        groups.of_partition == np.arange(len(groups)).repeat(members)[target], first_partition
    )
    return AlikeMeasures(
        partitions=partitions,
        max_load=max_load,
        min_load=min_load,
        sum_squares=np.add.reduceat(loads * loads, first_member),
        moves=was_owned - stay,
        proven=at_home & (max_load - min_load <= 1) & (stay == can_stay),
    )
