"""The group in counts: how much there is of each class, and who owns how much of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.arrays import IntArray
from optimizer.problem import Problem


@dataclass(frozen=True)
class Demand:
    """Classes of partitions and their readers, in counts.

    A pair is a class and one of its members; the pairs of class c are offsets[c]:offsets[c + 1].
    `supply` has the partitions of each class, `members` the member of each pair (below
    `member_count`), `owned` how many partitions of the pair's class the member owns. A share is
    how many it shall have.
    """

    supply: IntArray
    offsets: IntArray
    members: IntArray
    owned: IntArray
    member_count: int

    @cached_property
    def class_of_pair(self) -> IntArray:
        return np.arange(len(self.supply)).repeat(self.offsets[1:] - self.offsets[:-1])

    def of_pairs(self, pairs: IntArray) -> "Demand":
        """The demand of some pairs only (ascending), its classes and members numbered anew."""
        if len(pairs) == len(self.members) and self._has_every_member():
            return self
        present, members = np.unique(self.members[pairs], return_inverse=True)
        c = self.class_of_pair[pairs]
        first = np.diff(c, prepend=-1).nonzero()[0]
        return Demand(
            supply=self.supply[c[first]],
            offsets=np.append(first, len(pairs)),
            members=members,
            owned=self.owned[pairs],
            member_count=len(present),
        )

    def _has_every_member(self) -> bool:
        if len(self.members) == len(self.supply) * self.member_count:
            return True
        return bool(np.bincount(self.members, minlength=self.member_count).all())


def demand_of(problem: Problem) -> Demand:
    """Count a group's partitions by class, and by class and owner."""
    classes = problem.classes
    supply = np.bincount(
        classes.of_topic + 1, weights=problem.topic_sizes, minlength=len(classes) + 1
    )
    owned = np.bincount(problem.owner_pair + 1, minlength=len(classes.members) + 1)
    return Demand(
        supply=supply[1:].astype(np.int64),
        offsets=classes.offsets,
        members=classes.members,
        owned=owned[1:],
        member_count=len(problem.member_ids),
    )
