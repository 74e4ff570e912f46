"""What partitions weigh and members can take, as whole numbers: no sum hangs on its order."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, lcm

import numpy as np
from numpy.typing import NDArray

from optimizer.model.arrays import IntArray
from optimizer.model.problem import Problem, once_a_problem

TOTAL = 1 << 40
"""What all partitions of a group weigh together, about."""

FINEST = 1000
"""The largest capacity of a member: capacities are whole multiples of one unit."""

NOTHING_WEIGHS = 1e-250
"""The weight of a group below which it has none: reals can't be cut as finely."""

MOST_PARTS = 1 << 12
"""Into so many parts a unit of load is cut at most."""

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Weights and capacities as whole numbers.

    A level is a load divided by a capacity, in `parts` of what a partition of weight 1 is to a
    member of capacity 1: members of `capacity` c take in `level` * c // `parts`. It is exact where
    `parts` is a multiple of every capacity, as it is unless they are odd to each other.

    `of_partition` and `capacity` have 64 bits, and so has whatever is made of them here. `unit` is
    the level 1 in the units that the group was stated in, `weight_unit` the weight 1. `known` is
    the share of partitions whose own weight was known; the others weigh what those of their topic
    do on average, or else those of the group, or else 1.
    """

    of_partition: IntArray
    capacity: IntArray
    parts: int
    unit: float
    weight_unit: float
    known: float

    def limits(self, level: int) -> IntArray:
        """The weight that each member takes in at a level."""
        return level * self.capacity // self.parts

    def levels(self, loads: IntArray) -> IntArray:
        """The least level at which each member takes in so much."""
        found: IntArray = -(-loads * self.parts // self.capacity)
        return found

    def loads(self, target: IntArray) -> IntArray:
        """The weight of each member's partitions; `target` is an assignment."""
        # The sums have fewer than 53 bits, so reals are exact.
        sums = np.bincount(target + 1, self.of_partition, len(self.capacity) + 1)[1:]
        return sums.astype(np.int64)

    def level_of(self, target: IntArray) -> int:
        """The highest level of an assignment."""
        return int(self.levels(self.loads(target)).max(initial=0))


@once_a_problem
def weights_of(problem: Problem) -> Weights:
    """The weights and capacities of a problem."""
    if problem.weights is None:
        stated, known = np.ones(problem.partition_count), 0.0
    else:
        stated, known = known_or_mean(problem.weights, problem.topic_offsets)
    of_partition, weight_unit = whole(stated)
    capacity, capacity_unit = _whole_capacities(problem)
    parts = _parts(capacity)
    return Weights(
        of_partition=of_partition,
        capacity=capacity,
        parts=parts,
        unit=weight_unit / capacity_unit / parts,
        weight_unit=weight_unit,
        known=known,
    )


def whole(stated: Reals) -> tuple[IntArray, float]:
    """The weights of a group as whole numbers, and what 1 is of what was stated."""
    total = fsum(stated.tolist())
    if not total > NOTHING_WEIGHS:  # all is alike
        stated, total = np.ones(len(stated)), float(max(len(stated), 1))
    weight_unit = total / TOTAL
    return np.rint(stated / weight_unit).astype(np.int64), weight_unit


def known_or_mean(stated: Reals, topic_offsets: IntArray) -> tuple[Reals, float]:
    """Each partition's weight, and the share of those that were known (the others are NaN).

    Means are rounded once (`fsum`), so that they don't hang on the order of what is summed.
    """
    unknown = np.isnan(stated)
    if not unknown.any():
        return stated, 1.0
    found = stated.copy()
    group_mean = _mean(found[~unknown], 1.0)
    ends = topic_offsets.tolist()
    topics = topic_offsets.searchsorted(unknown.nonzero()[0], "right") - 1
    for topic in np.unique(topics).tolist():
        of_topic = slice(ends[topic], ends[topic + 1])
        known = found[of_topic][~unknown[of_topic]]
        found[of_topic][unknown[of_topic]] = _mean(known, group_mean)
    return found, 1.0 - int(np.count_nonzero(unknown)) / len(stated)


def _mean(known: Reals, otherwise: float) -> float:
    return fsum(known) / len(known) if len(known) else otherwise


def _whole_capacities(problem: Problem) -> tuple[IntArray, float]:
    """Capacities as multiples of a unit, and the unit: the coarsest that fits all, if one does."""
    members = len(problem.member_ids)
    if problem.capacities is None:
        return np.ones(members, np.int64), 1.0
    stated = np.where(np.isnan(problem.capacities), 1.0, problem.capacities)
    largest = float(stated.max(initial=0.0)) or 1.0
    share = np.unique(stated / largest)
    steps = np.arange(1, FINEST + 1)[:, None] * share
    fits = np.abs(steps - np.rint(steps)).max(axis=1, initial=0.0) < 1e-9
    fits &= np.rint(steps).min(axis=1, initial=1.0) >= 1
    finest = int(fits.argmax()) + 1 if fits.any() else FINEST
    whole = np.rint(stated / largest * finest).astype(np.int64)
    return np.maximum(whole, 1), largest / finest


def _parts(capacity: IntArray) -> int:
    """Into how many parts a unit of load is cut, so that levels are whole numbers if they can be.

    A load of up to 2⁴¹ in 2¹² parts, times a capacity of up to 2¹⁰, fits 64 bits.
    """
    least = lcm(*np.unique(capacity).tolist()) if len(capacity) else 1
    return least if least <= MOST_PARTS else MOST_PARTS
