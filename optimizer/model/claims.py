"""Who owns what, when members disagree about it."""

from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray
from optimizer.model.problem import NOBODY


class Ownership(NamedTuple):
    """What a group's claims come to.

    `owner` has a claimant for each partition or NOBODY; `outranked` counts the partitions that an
    older generation claimed as well, `cancelled` those that two claimants of one generation claim.
    """

    owner: IntArray
    outranked: int
    cancelled: int


def resolve(
    partition: IntArray, claimant: IntArray, generation: IntArray, partitions: int
) -> Ownership:
    """Settle claims, given as three arrays of one length, in any order.

    The claim of the highest generation stands; claimants of one generation cancel each other out,
    and the partition belongs to nobody (KAFKA-12984 and KAFKA-14639, AbstractStickyAssignor).
    A claim that is stated twice is one claim.
    """
    owner = np.full(partitions, NOBODY)
    owner[partition] = claimant
    if len(partition) == np.count_nonzero(owner != NOBODY):
        return Ownership(owner, 0, 0)
    return _resolve_conflicts(partition, claimant, generation, owner)


def _resolve_conflicts(
    partition: IntArray, claimant: IntArray, generation: IntArray, owner: IntArray
) -> Ownership:
    newest_first = np.lexsort((claimant, -generation, partition))
    partition, claimant, generation = (
        column[newest_first] for column in (partition, claimant, generation)
    )
    first = np.flatnonzero(np.r_[True, partition[1:] != partition[:-1]])
    best_of = np.repeat(first, np.diff(np.r_[first, len(partition)]))
    rival = claimant != claimant[best_of]
    peer = rival & (generation == generation[best_of])
    cancelled = np.unique(partition[peer])
    outranked = np.setdiff1d(partition[rival], cancelled)
    owner[partition[first]] = claimant[first]
    owner[cancelled] = NOBODY
    return Ownership(owner, len(outranked), len(cancelled))
