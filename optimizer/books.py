"""An assignment in counts, by kind and member, for `verify` alone."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.arrays import IntArray
from optimizer.measures import Measures
from optimizer.problem import NOBODY, Problem
from optimizer.readers import Readers
from optimizer.residual import Residual


@dataclass(frozen=True)
class Books:
    """Who holds how much of what after an assignment that has no faults."""

    problem: Problem
    readers: Readers
    target: IntArray

    @cached_property
    def loads(self) -> IntArray:
        """Number of partitions of each member."""
        return np.bincount(self.target[self.target >= 0], minlength=self.readers.member_count)

    @cached_property
    def held(self) -> IntArray:
        """How many partitions of each pair's kind its member is given."""
        return self._count(self.readers.pair_of(self.target))

    @cached_property
    def owner_pair(self) -> IntArray:
        """The pair of each partition whose owner may still read it, or -1."""
        return self.readers.pair_of(self.problem.owner)

    @cached_property
    def owned(self) -> IntArray:
        """How many partitions of each pair's kind its member owns now."""
        return self._count(self.owner_pair)

    @cached_property
    def kept(self) -> IntArray:
        """How many of those it keeps."""
        return self._count(self.owner_pair[self.target == self.problem.owner])

    def _count(self, pair: IntArray) -> IntArray:
        return np.bincount(pair[pair >= 0], minlength=len(self.readers.kind))

    @cached_property
    def measures(self) -> Measures:
        moves = int(self.owned.sum() - self.kept.sum())
        changed = (self.target != self.problem.owner) & (self.target != NOBODY)
        return Measures(
            partitions=int(np.count_nonzero(self.readers.kind_of >= 0)),
            max_load=int(self.loads.max(initial=0)),
            min_load=int(self.loads.min()) if len(self.loads) else 0,
            sum_squares=int((self.loads * self.loads).sum()),
            moves=moves,
            takeovers=int(np.count_nonzero(changed & (self.problem.owner != NOBODY))) - moves,
        )

    def residual(self, count_moves: bool) -> Residual:
        """Costs are steps of Σ load², and if `count_moves`, below them the moves.

        A step of load outweighs the moves of any cycle, which has no more arcs than nodes.
        """
        kinds, members = self.readers.kind_count, self.readers.member_count
        pool = kinds + members
        kind, member = self.readers.kind, self.readers.member + kinds
        is_held = self.held > 0
        loaded = np.flatnonzero(self.loads)
        everybody = np.arange(members)
        step = 2 * (pool + 1)
        return Residual(
            tail=np.concatenate(
                [kind, member[is_held], kinds + everybody, np.full(len(loaded), pool)]
            ),
            head=np.concatenate([member, kind[is_held], np.full(members, pool), kinds + loaded]),
            cost=np.concatenate(
                [
                    -1 * (count_moves & (self.held < self.owned)),
                    1 * (count_moves & (self.held <= self.owned)[is_held]),
                    (2 * self.loads + 1) * step,
                    -(2 * self.loads[loaded] - 1) * step,
                ]
            ),
            nodes=pool + 1,
        )
