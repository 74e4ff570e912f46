"""Partitions put together that the same members read and can take in."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import WeightedProblem


class Bundles(NamedTuple):
    """What parcels weigh, which takers may have each, and the parcel of each of `Facts.read`."""

    weight: IntArray
    may: NDArray[np.bool_]
    of_read: IntArray


def without_tiny(facts: WeightedProblem, level: int) -> WeightedProblem:
    """The same group, in which nobody reads what is too heavy for it at a level."""
    if not facts.has_tiers:
        return facts
    bundles = bundles_of(facts, facts.reads, facts.weights.limits(level))
    class_of = np.full_like(facts.class_of, -1)
    class_of[facts.read] = bundles.of_read
    return replace(facts, class_of=class_of, reads=bundles.may)


def bundles_of(facts: WeightedProblem, reads: NDArray[np.bool_], limit: IntArray) -> Bundles:
    """The parcels of takers with these limits; `reads` tells of which classes they may have.

    The partitions of a class are parcelled by the weakest takers that they aren't too heavy for
    (the tiers of Lenstra, Shmoys and Tardos, Mathematical Programming 46, 1990).
    """
    steps = np.unique(limit)
    tier = steps.searchsorted(facts.weight[facts.read])
    key = facts.class_of[facts.read] * (len(steps) + 1) + tier
    bundles, bundle = np.unique(key, return_inverse=True)
    weight = np.bincount(bundle, facts.weight[facts.read], len(bundles)).astype(np.int64)
    of_class, tier = np.divmod(bundles, len(steps) + 1)
    least = np.append(steps, np.iinfo(np.int64).max)[tier]
    return Bundles(weight, reads[of_class] & (limit >= least[:, None]), bundle)
