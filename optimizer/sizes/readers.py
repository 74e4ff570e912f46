"""A group in counts: how much there is to read, and how many members may read it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.flow import Takers, fewest_takers
from optimizer.model import IntArray, Problem, classes_of, ranges
from optimizer.solver import min_max_load

UNBOUNDED = 1_000_000
"""More members than any group has: they wouldn't fit into Kafka's record of a group."""


@dataclass(frozen=True)
class Readers:
    """Kinds of members, who read the same, and classes of partitions, which the same kinds read.

    `supply` has the partitions of each class, `reads[c, k]` tells whether kind k reads class c,
    `counts` has the members of each kind. Who reads nothing that is there isn't among them.
    """

    supply: IntArray
    reads: NDArray[np.bool_]
    counts: IntArray

    @property
    def partitions(self) -> int:
        return int(self.supply.sum())

    @property
    def members(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def commonest(self) -> int:
        """The kind of most members; of several the one that reads most, then the first."""
        amounts = self.supply @ self.reads
        return max(
            range(len(self.counts)), key=lambda k: (int(self.counts[k]), int(amounts[k]), -k)
        )

    @property
    def alike(self) -> bool:
        """Whether all members read the same."""
        return len(self.counts) == 1

    def least_max(self, counts: IntArray) -> int:
        """The optimum's highest load with `counts` members of each kind."""
        if self.alike:
            return -(-self.partitions // int(counts[0]))
        starts, kinds = counts.cumsum() - counts, [row.nonzero()[0] for row in self.reads]
        of_class = [ranges(starts[kind], counts[kind]) for kind in kinds]
        offsets = np.cumsum([0, *map(len, of_class)])
        return min_max_load(self.supply, offsets, np.concatenate(of_class), int(counts.sum()))

    def with_more(self, members: int) -> IntArray:
        """The counts with `members` more members of the commonest kind."""
        counts = self.counts.copy()
        counts[self.commonest] += members
        return counts

    def fewest_left(self, load: float) -> Takers | None:
        """The fewest of the members who read everything with no load above this one.

        None: all of them don't do.
        """
        return self._fewest(load, self.supply, np.zeros_like(self.counts), self.counts)

    def fewest_added(self, load: float) -> Takers | None:
        """The same of all the members and new ones of the commonest kind."""
        return self._fewest(load, self.supply, self.counts, self.with_more(UNBOUNDED))

    def fewest(self, load: float, supply: NDArray[Any]) -> Takers | None:
        """The same of any of the members, and of new ones of the commonest kind.

        `supply` stands for the partitions, such as their rates.
        """
        return self._fewest(load, supply, np.zeros_like(self.counts), self.with_more(UNBOUNDED))

    def _fewest(
        self, load: float, supply: NDArray[Any], least: IntArray, most: IntArray
    ) -> Takers | None:
        if not self.alike:
            return fewest_takers(supply, self.reads, load, least, most)
        needed = max(int(least[0]), _quotient(supply.sum(), load), 1)
        return Takers(np.array([needed]), True) if needed <= most[0] else None


def readers_of(problem: Problem) -> Readers:
    """The kinds of a group's members; of one whose members read nothing there are none."""
    classes = classes_of(problem)
    supply = np.bincount(classes.of_partition + 1, minlength=len(classes) + 1)[1:]
    is_there = supply > 0
    reads = np.zeros((len(classes), len(problem.subscriptions)), np.bool_)
    for kind, topics in enumerate(problem.subscriptions):
        reads[classes.of_topic[topics], kind] = True
    reads = reads[is_there]
    counts = np.bincount(problem.member_subscription, minlength=len(problem.subscriptions))
    kinds, of_kind = np.unique(reads, axis=1, return_inverse=True)
    totals = np.bincount(of_kind.reshape(-1), weights=counts, minlength=kinds.shape[1])
    useful = kinds.any(axis=0)
    return Readers(supply[is_there], kinds[:, useful], totals[useful].astype(np.int64))


def _quotient(amount: Any, load: float) -> int:
    """How many times a load there is, rounded up but for what floating point makes of it."""
    if isinstance(load, int):
        return -(-int(amount) // load)
    return int(np.ceil(float(amount) / load - 1e-9))
