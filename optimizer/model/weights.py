"""Weights of partitions and capacities of members, as whole numbers: no sum needs an order."""

from dataclasses import dataclass
from functools import cached_property
from math import frexp, fsum, lcm

import numpy as np

from optimizer.model.arrays import Flags, IntArray, Reals
from optimizer.model.problem import Problem, once_a_problem

BITS = 40
"""The partitions of a group that are read weigh less than 2⁴⁰ together, and at least half of it."""

FINEST = 1000
"""Capacities are multiples of a unit: the largest, or else the smallest, is at most that many."""

MOST_CAPACITY = 1 << 20
"""The largest capacity, where members differ by more than a thousand times."""

NO_RATIO = 1e-9
"""A real that differs less from a whole number is one: it is off by how reals are stated."""

NOTHING_WEIGHS = 1e-250
"""The weight of a group below which it has none: reals can't be cut as finely."""

MOST_PARTS = 1 << 12
"""Largest number of parts of a unit of load."""

MOST_LOAD, MOST_PRODUCT = 1 << (BITS + 1), 1 << 62
"""No load is as large as the first; the second is what 64 bits hold of a level and a capacity."""


@dataclass(frozen=True)
class Weights:
    """Weights and capacities as whole numbers.

    A level is a load divided by a capacity, in `parts` of what a partition of weight 1 is to a
    member of capacity 1: members of `capacity` c take in `level` * c // `parts`. It is exact where
    `parts` is a multiple of every capacity, as it is unless they are odd to each other.

    `of_partition` and `capacity` have 64 bits, and so have all whole results here. In the units of
    the input, `weight_unit` is the weight 1, a power of two, so that whole weights stay as they
    are; `capacity_unit` is the capacity 1, and `raw_capacity` has the capacities. Partitions
    without readers weigh nothing. `known_share` is the share of partitions whose own weight was
    known; the others weigh the mean of their topic, or else of the group, or else 1.
    """

    of_partition: IntArray
    capacity: IntArray
    parts: int
    weight_unit: float
    capacity_unit: float
    raw_capacity: Reals
    known_share: float

    def limits(self, level: int) -> IntArray:
        """The weight that each member takes in at a level."""
        product: IntArray = np.minimum(level, MOST_PRODUCT // self.capacity) * self.capacity
        return np.minimum(product // self.parts, MOST_LOAD)

    def levels(self, loads: IntArray) -> IntArray:
        """The least level at which each member takes in so much."""
        levels: IntArray = -(-loads * self.parts // self.capacity)
        return levels

    def loads(self, target: IntArray) -> IntArray:
        """The weight of each member's partitions; `target` is an assignment."""
        # The sums have fewer than 53 bits, so reals are exact.
        sums = np.bincount(target + 1, self.of_partition, len(self.capacity) + 1)[1:]
        return sums.astype(np.int64)

    def level_of(self, target: IntArray) -> int:
        """The highest level of an assignment."""
        return int(self.levels(self.loads(target)).max(initial=0))

    def stated_loads(self, target: IntArray) -> Reals:
        """Each member's load for a unit of its capacity, as stated."""
        loads: Reals = self.loads(target) * self.weight_unit / self.raw_capacity
        return loads

    def highest(self, target: IntArray) -> float:
        """The largest of these."""
        return float(self.stated_loads(target).max(initial=0.0))

    def stated_bound(self, level: int) -> float:
        """A load that no plan's largest is below, where no plan is below a level.

        Rounded down where capacities aren't multiples of a unit, or levels don't divide by them.
        """
        least = level - int((self.parts % self.capacity).any())
        return self._in_units(max(0, least)) * float(min(1.0, self._ratios.min(initial=1.0)))

    def stated_limit(self, level: int) -> float:
        """A load that the largest of a plan at a level isn't above, rounded up likewise."""
        return self._in_units(level) * float(max(1.0, self._ratios.max(initial=1.0)))

    @property
    def is_exact(self) -> bool:
        """Whether no capacity was rounded."""
        return bool((self._ratios == 1).all())

    def _in_units(self, level: int) -> float:
        return level / self.parts * self.weight_unit / self.capacity_unit

    @cached_property
    def _ratios(self) -> Reals:
        """The ratio of each capacity as a whole number to the one that was stated."""
        ratios: Reals = self.capacity * self.capacity_unit / self.raw_capacity
        return np.where(np.abs(ratios - 1) < NO_RATIO, 1.0, ratios)


@once_a_problem
def weights_of(problem: Problem) -> Weights:
    """The weights and capacities of a problem."""
    if problem.weights is None:
        reals, known_share = np.ones(problem.partition_count), 0.0
    else:
        reals, known_share = _known_or_mean(problem.weights, problem.topic_offsets)
    of_partition, weight_unit = _whole(np.where(_is_read(problem), reals, 0.0))
    capacities = _capacities(problem)
    capacity, capacity_unit = _whole_capacities(capacities)
    parts = _parts(capacity)
    return Weights(
        of_partition, capacity, parts, weight_unit, capacity_unit, capacities, known_share
    )


def _is_read(problem: Problem) -> Flags:
    """Whether a partition's topic is in a subscription."""
    of_topic = np.zeros(len(problem.topics), np.bool_)
    for topics in problem.subscriptions:
        of_topic[topics] = True
    return of_topic.repeat(np.diff(problem.topic_offsets))


def _whole(reals: Reals) -> tuple[IntArray, float]:
    """The weights of a group as whole numbers, and what 1 is of what was stated."""
    total = fsum(reals.tolist())
    if not total > NOTHING_WEIGHS:  # all is alike
        reals, total = np.ones(len(reals)), float(max(len(reals), 1))
    weight_unit = 2.0 ** (frexp(total)[1] - BITS)
    return np.rint(reals / weight_unit).astype(np.int64), weight_unit


def _known_or_mean(weights: Reals, topic_offsets: IntArray) -> tuple[Reals, float]:
    """Each partition's weight, and the share of those that were known (the others are NaN).

    Means are rounded once (`fsum`), so that they don't hang on the order of what is summed.
    """
    unknown = np.isnan(weights)
    if not unknown.any():
        return weights, 1.0
    reals = weights.copy()
    group_mean = _mean(reals[~unknown], 1.0)
    ends = topic_offsets.tolist()
    topics = topic_offsets.searchsorted(unknown.nonzero()[0], "right") - 1
    for topic in np.unique(topics).tolist():
        of_topic = slice(ends[topic], ends[topic + 1])
        weights_known = reals[of_topic][~unknown[of_topic]]
        reals[of_topic][unknown[of_topic]] = _mean(weights_known, group_mean)
    return reals, 1.0 - int(np.count_nonzero(unknown)) / len(weights)


def _mean(weights: Reals, otherwise: float) -> float:
    return fsum(weights) / len(weights) if len(weights) else otherwise


def _capacities(problem: Problem) -> Reals:
    """The capacities as stated; 1 where none is."""
    if problem.capacities is None:
        return np.ones(len(problem.member_ids))
    return np.where(np.isnan(problem.capacities), 1.0, problem.capacities)


def _whole_capacities(capacities: Reals) -> tuple[IntArray, float]:
    """Capacities as multiples of a unit, and the unit: the coarsest that fits all, if one does."""
    largest = float(capacities.max(initial=0.0)) or 1.0
    if (capacities == largest).all():
        return np.ones(len(capacities), np.int64), largest
    ratio = largest / float(capacities.min())
    if ratio > FINEST:  # steps are of the smallest, as many as the largest has room for
        base, most = largest / ratio, max(1, min(FINEST, int(MOST_CAPACITY / ratio)))
    else:
        base, most = largest, FINEST
    steps = np.arange(1, most + 1)[:, None] * np.unique(capacities / base)
    fits = np.abs(steps - np.rint(steps)).max(axis=1, initial=0.0) < NO_RATIO
    fits &= np.rint(steps).min(axis=1, initial=1.0) >= 1
    unit = base / (int(fits.argmax()) + 1 if fits.any() else most)
    unit = max(unit, largest / MOST_CAPACITY)
    return np.maximum(np.rint(capacities / unit).astype(np.int64), 1), unit


def _parts(capacity: IntArray) -> int:
    """Into how many parts a unit of load is cut, so that levels are whole numbers if they can be.

    A load of up to 2⁴⁰, in parts and times a capacity that come to 2²² at most, fits 64 bits.
    """
    least = lcm(*np.unique(capacity).tolist()) if len(capacity) else 1
    most = min(MOST_PARTS, (MOST_CAPACITY << 2) // int(capacity.max(initial=1)))
    return min(least, most)
