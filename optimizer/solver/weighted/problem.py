"""A group by weight as the search sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    DEFAULT_GOALS,
    NOBODY,
    Flags,
    Goals,
    IntArray,
    Problem,
    Reals,
    Weights,
    weights_of,
)
from optimizer.solver.kinds import kinds_of

NOTHING = -1
"""In exchange for a partition."""

WIDEST = 200_000
"""Exchanges that are examined in one array, at most."""


@dataclass(frozen=True)
class WeightedProblem:
    """A group by weight: readers of partitions, their weights, and their owners now.

    Partitions with the same readers are of a class: `class_of` has that of each, -1 where nobody
    reads it, and `reads` tells whether a class (row) is read by a member (column). `owner` has the
    member that each partition can stay with, or NOBODY.
    """

    class_of: IntArray
    reads: Flags
    weights: Weights
    owner: IntArray

    @staticmethod
    def of(problem: Problem, goals: Goals = DEFAULT_GOALS) -> WeightedProblem:
        """The arrays of a group; nobody reads a partition that limits keep from it."""
        kinds = kinds_of(problem, goals)
        reads = np.zeros((len(kinds.offsets) - 1, len(problem.member_ids)), np.bool_)
        reads[np.arange(len(reads)).repeat(np.diff(kinds.offsets)), kinds.members] = True
        owner = np.where(kinds.owner_pair >= 0, problem.owner, NOBODY)
        return WeightedProblem(kinds.of_partition, reads, weights_of(problem), owner)

    @cached_property
    def weight(self) -> IntArray:
        """The weight of each partition."""
        return self.weights.of_partition

    @cached_property
    def weight_list(self) -> list[int]:
        """The weight of each partition, in a list, from which single ones are read much sooner."""
        weights: list[int] = self.weight.tolist()
        return weights

    @cached_property
    def class_list(self) -> list[int]:
        """The class of each, as a list."""
        classes: list[int] = self.class_of.tolist()
        return classes

    @cached_property
    def total(self) -> float:
        """The weight of all partitions."""
        return float(self.weight.sum())

    @cached_property
    def members(self) -> int:
        return len(self.weights.capacity)

    @cached_property
    def read(self) -> IntArray:
        """The partitions that somebody reads, the heaviest first, equal ones in their order."""
        read = (self.class_of >= 0).nonzero()[0]
        return read[np.argsort(-self.weight[read], kind="stable")]

    @cached_property
    def has_owners(self) -> bool:
        """Whether anything can stay with anybody."""
        return bool((self.owner != NOBODY).any())

    @cached_property
    def has_tiers(self) -> bool:
        """Whether some members are stronger than others."""
        return bool((self.weights.capacity[1:] != self.weights.capacity[:1]).any())

    @cached_property
    def is_homogeneous(self) -> bool:
        """Whether everybody reads everything and is as strong as everybody else."""
        return self.all_read_all and not self.has_tiers

    @cached_property
    def all_read_all(self) -> bool:
        """Whether everybody reads everything."""
        return len(self.reads) == 1 and bool(self.reads.all())

    @cached_property
    def readers(self) -> list[IntArray]:
        """The members of each class."""
        return [row.nonzero()[0] for row in self.reads]

    @cached_property
    def are_few(self) -> list[bool]:
        """Whether a class has fewer readers than partitions, and all of them are as strong."""
        partitions = np.bincount(self.class_of[self.read], minlength=len(self.reads)).tolist()
        capacity = self.weights.capacity
        return [
            0 < len(readers) < partitions[c]
            and bool((capacity[readers] == capacity[readers[0]]).all())
            for c, readers in enumerate(self.readers)
        ]

    @cached_property
    def class_weight(self) -> IntArray:
        """The weight of each class."""
        of_class = self.class_of[self.read]
        # The sums have fewer than 53 bits, so reals are exact.
        return np.bincount(of_class, self.weight[self.read], len(self.reads)).astype(np.int64)

    def level_of(self, target: IntArray) -> int:
        """The highest level of an assignment."""
        return self.weights.level_of(target)

    def moves_of(self, target: IntArray) -> int:
        """Partitions that an assignment takes from who could keep them."""
        return int(np.count_nonzero((self.owner != NOBODY) & (target != self.owner)))

    def may_swap(self, own: IntArray, member: int, others: IntArray, holder: IntArray) -> Flags:
        """Other partitions (columns), those of `holder`, that may go for a member's own."""
        if self.all_read_all:
            return np.ones((len(own), len(others)), np.bool_)
        may: Flags = self.reads[self.class_of[own]][:, holder]
        may &= self.reads[self.class_of[others], member]
        return may

    def exchangeable(
        self, target: IntArray, member: int, own: int, fullness: Reals | IntArray
    ) -> IntArray:
        """The partitions to exchange with a member that has `own`: those of all other members.

        In larger groups, those of the least full ones.
        """
        held = (target >= 0) & (target != member)
        most = WIDEST // max(own, 1)
        if np.count_nonzero(held) > most:
            counts = np.bincount(target + 1, minlength=self.members + 1)[1:]
            order = np.argsort(fullness, kind="stable")
            least_full = order[: max(1, int(np.searchsorted(counts[order].cumsum(), most)))]
            is_least_full = np.zeros(self.members, np.bool_)
            is_least_full[least_full] = True
            held &= is_least_full[target]
        partitions: IntArray = held.nonzero()[0]
        return partitions


class Exchange(NamedTuple):
    """A partition that goes to a taker, one that comes back for it or NOTHING, and its value."""

    value: float
    gives: int
    taker: int
    gets: int


def best_change(
    target: IntArray, own: IntArray, others: IntArray, moved: Reals, swapped: Reals
) -> Exchange:
    """The move or, if it is lower, the swap of the lowest value.

    `moved` has a row for each of a member's own partitions and a column for each member, `swapped`
    one for each of the other partitions.
    """
    p, taker = np.unravel_index(int(moved.argmin()), moved.shape)
    best = Exchange(float(moved[p, taker]), int(own[p]), int(taker), NOTHING)
    if not swapped.size:
        return best
    p, q = np.unravel_index(int(swapped.argmin()), swapped.shape)
    if not swapped[p, q] < best.value:
        return best
    other = int(others[q])
    return Exchange(float(swapped[p, q]), int(own[p]), int(target[other]), other)


class Bundles(NamedTuple):
    """The weights of bundles, which takers may have each, and the bundle of each that is read."""

    weight: IntArray
    may: Flags
    of_read: IntArray


def without_tiny(problem: WeightedProblem, level: int) -> WeightedProblem:
    """The group in which nobody reads a partition that is too heavy for it at a level."""
    if not problem.has_tiers:
        return problem
    bundles = bundles_of(problem, problem.reads, problem.weights.limits(level))
    class_of = np.full_like(problem.class_of, -1)
    class_of[problem.read] = bundles.of_read
    return replace(problem, class_of=class_of, reads=bundles.may)


def bundles_of(problem: WeightedProblem, reads: Flags, limit: IntArray) -> Bundles:
    """The bundles of takers with these limits; `reads` tells of which classes they may have.

    The partitions of a class are bundled by the weakest takers that they aren't too heavy for
    (the tiers of Lenstra, Shmoys and Tardos, Mathematical Programming 46, 1990).
    """
    steps = np.unique(limit)
    tier = steps.searchsorted(problem.weight[problem.read])
    key = problem.class_of[problem.read] * (len(steps) + 1) + tier
    bundles, bundle = np.unique(key, return_inverse=True)
    weight = np.bincount(bundle, problem.weight[problem.read], len(bundles)).astype(np.int64)
    of_class, tier = np.divmod(bundles, len(steps) + 1)
    least = np.append(steps, np.iinfo(np.int64).max)[tier]
    return Bundles(weight, reads[of_class] & (limit >= least[:, None]), bundle)


class Assignment:
    """The member that has each partition, NOBODY for some, and the sums of members."""

    def __init__(self, problem: WeightedProblem, target: IntArray) -> None:
        self.problem, self.target = problem, target.copy()
        self.loads = problem.weights.loads(target)

    def give(self, p: int, member: int) -> None:
        """Let a member have a partition."""
        weight, before = self.problem.weight[p], self.target[p]
        if before >= 0:
            self.loads[before] -= weight
        self.loads[member] += weight
        self.target[p] = member

    def make(self, change: Exchange, giver: int) -> None:
        """Let a member give a partition, and take another one for it if that is the change."""
        self.give(change.gives, change.taker)
        if change.gets != NOTHING:
            self.give(change.gets, giver)
