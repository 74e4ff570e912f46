"""Partitions put together that the same members read and can take in."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from optimizer.solver.weighted.facts import Facts


class Parcels(NamedTuple):
    """What parcels weigh, which takers may have each, and the parcel of each of `Facts.read`."""

    weight: IntArray
    may: NDArray[np.bool_]
    of_read: IntArray


def within(facts: Facts, level: int) -> Facts:
    """The same group, in which nobody reads what is too heavy for it at a level."""
    if not facts.has_tiers:
        return facts
    parcels = parcels_of(facts, facts.reads, facts.weights.limits(level))
    class_of = np.full_like(facts.class_of, -1)
    class_of[facts.read] = parcels.of_read
    return replace(facts, class_of=class_of, reads=parcels.may)


def parcels_of(facts: Facts, reads: NDArray[np.bool_], limit: IntArray) -> Parcels:
    """The parcels of takers with these limits; `reads` tells of which classes they may have.

    The partitions of a class are parcelled by the weakest takers that they aren't too heavy for
    (the tiers of Lenstra, Shmoys and Tardos, Mathematical Programming 46, 1990).
    """
    steps = np.unique(limit)
    tier = steps.searchsorted(facts.weight[facts.read])
    key = facts.class_of[facts.read] * (len(steps) + 1) + tier
    parcels, parcel = np.unique(key, return_inverse=True)
    weight = np.bincount(parcel, facts.weight[facts.read], len(parcels)).astype(np.int64)
    of_class, tier = np.divmod(parcels, len(steps) + 1)
    least = np.append(steps, np.iinfo(np.int64).max)[tier]
    return Parcels(weight, reads[of_class] & (limit >= least[:, None]), parcel)
