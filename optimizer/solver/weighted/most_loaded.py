"""The level below which no plan can be, since some members alone may read so much."""

from typing import NamedTuple

import numpy as np

from optimizer.flow import taken_in
from optimizer.model import Flags, IntArray
from optimizer.solver.weighted.problem import WeightedProblem, bundles_of


class SetBound(NamedTuple):
    """No plan is below `level`, for `members` together (None: each for itself) read too much.

    At a level a partition can only go to members that take it in: what is confined to `members`
    then weighs more than all of them take in. With no member among them, it is a partition that
    nobody takes in.
    """

    level: int
    members: Flags


def simple_bound(problem: WeightedProblem) -> SetBound:
    """The best bound by nobody, by all members, and by the readers of a class."""
    weights, everybody = problem.weights, np.ones(problem.members, np.bool_)
    best = SetBound(_biggest(problem), ~everybody)
    total = int(problem.class_weight.sum())
    level = _least_level(problem, everybody, total)
    if level > best.level:
        best = SetBound(level, everybody)
    if problem.all_read_all:
        return best
    capacity = problem.reads @ weights.capacity
    share = problem.class_weight * weights.parts / capacity
    worst = int(np.argmax(share)) if len(share) else -1
    if worst >= 0 and share[worst] > best.level:
        members = problem.reads[worst].copy()
        level = _least_level(problem, members, int(problem.class_weight[worst]))
        best = max(best, SetBound(level, members), key=lambda bound: bound.level)
    return best


def most_loaded(problem: WeightedProblem, start: SetBound) -> SetBound:
    """The best bound by any set: Newton's method on maximum flows, exactly (Dinkelbach 1967).

    Where a flow shows that a level is too low, its minimum cut is a set that says so; the next
    level is the least that this set allows, until one is found at which everything fits.
    """
    best, level = start, start.level
    network = _Network(problem)
    while True:
        tight = network.too_few(level)
        if tight is None:
            return best
        level = network.least_level(tight, level)
        best = SetBound(level, tight)


def _biggest(problem: WeightedProblem) -> int:
    """The level of the partition that even its strongest reader finds heaviest."""
    if not len(problem.read):
        return 0
    weights = problem.weights
    strongest = np.where(problem.reads, weights.capacity, 0).max(axis=1, initial=1)
    heaviest = np.zeros(len(problem.reads), np.int64)
    np.maximum.at(heaviest, problem.class_of[problem.read], problem.weight[problem.read])
    return int((-(-heaviest * weights.parts // strongest)).max())


def _least_level(problem: WeightedProblem, members: Flags, weight: int) -> int:
    """The least level at which members take in so much, whole numbers each."""
    capacity = problem.weights.capacity[members]
    level = -(-weight * problem.weights.parts // max(int(capacity.sum()), 1))
    while int((level * capacity // problem.weights.parts).sum()) < weight:
        level += 1
    return level


class _Network:
    """Bundles of partitions that the same members can take in, and kinds of such members.

    Members of one subscription and capacity are of a kind.
    """

    def __init__(self, problem: WeightedProblem) -> None:
        self.problem = problem
        reads, capacity = problem.reads, problem.weights.capacity
        columns = np.concatenate(
            (np.packbits(reads, axis=0).T, capacity.view(np.uint8).reshape(-1, 8)), axis=1
        )
        _, first, kind = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        self.kind_of_member = kind.reshape(-1)
        self.capacity = capacity[first]
        self.count = np.bincount(self.kind_of_member, minlength=len(first))
        self.reads = reads[:, first]

    def too_few(self, level: int) -> Flags | None:
        """The members who read too much for a level; None if everything fits in."""
        limit = level * self.capacity // self.problem.weights.parts
        supply, may_read = self._parcels(limit)
        if not may_read[supply > 0].any(axis=1).all():
            return np.zeros(self.problem.members, np.bool_)
        tail, head = may_read.nonzero()
        flow = taken_in(supply, limit * self.count, tail, head)
        return None if flow.is_whole else flow.side[len(supply) :][self.kind_of_member]

    def _parcels(self, limit: IntArray) -> tuple[IntArray, Flags]:
        """What bundles weigh, and which kinds may read each."""
        if not self.problem.has_tiers:
            return self.problem.class_weight, self.reads
        bundles = bundles_of(self.problem, self.reads, limit)
        return bundles.weight, bundles.may

    def least_level(self, tight: Flags, level: int) -> int:
        """The least level above which a set of members isn't too small any more, by bisection."""
        low, step = level, 1  # too low
        high = self._by_capacity(tight, level)
        if high - 1 > low and self._is_too_small(tight, high - 1):
            low = high - 1
        while self._is_too_small(tight, high):
            low, high, step = high, high + step, 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_too_small(tight, middle) else (low, middle)
        return high

    def _by_capacity(self, tight: Flags, level: int) -> int:
        """A level that the set's capacity as a whole asks for, above the one that is too low."""
        problem = self.problem
        outside = (problem.reads & ~tight).any(axis=1)
        weight = int(problem.class_weight[~outside].sum())
        capacity = int(problem.weights.capacity[tight].sum())
        return max(level + 1, -(-weight * problem.weights.parts // max(capacity, 1)))

    def _is_too_small(self, tight: Flags, level: int) -> bool:
        problem = self.problem
        limits = problem.weights.limits(level)
        beyond = np.where(problem.reads & ~tight, limits, -1).max(axis=1, initial=-1)
        confined = problem.weight[problem.read] > beyond[problem.class_of[problem.read]]
        weight = int(problem.weight[problem.read][confined].sum())
        return weight > int(limits[tight].sum())
