"""The group in counts: how much there is of each class, and who owns how much of it."""

from dataclasses import dataclass

import numpy as np

from optimizer.problem import IntArray, Problem


@dataclass(frozen=True)
class Demand:
    """Classes of partitions and their readers, in counts.

    A pair is a class and one of its members; the pairs of class c are offsets[c]:offsets[c + 1].
    `supply` has the partitions of each class, `members` the member of each pair, `owned` how many
    partitions of the pair's class the member owns. A share is how many it shall have.
    """

    supply: IntArray
    offsets: IntArray
    members: IntArray
    owned: IntArray

    @property
    def class_of_pair(self) -> IntArray:
        return np.repeat(np.arange(len(self.supply)), np.diff(self.offsets))

    def pairs_of(self, classes: IntArray) -> IntArray | slice:
        """The pairs of some classes, one class after the other."""
        if len(classes) == len(self.supply):
            return slice(None)
        starts, ends = self.offsets[classes], self.offsets[classes + 1]
        return np.concatenate([np.arange(*ends_of) for ends_of in zip(starts, ends, strict=True)])

    def of_classes(self, classes: IntArray) -> "Demand":
        """The same of some classes only."""
        if len(classes) == len(self.supply):
            return self
        pairs = self.pairs_of(classes)
        sizes = np.diff(self.offsets)[classes]
        return Demand(
            supply=self.supply[classes],
            offsets=np.r_[0, np.cumsum(sizes)],
            members=self.members[pairs],
            owned=self.owned[pairs],
        )


def demand_of(problem: Problem) -> Demand:
    """Count a group's partitions by class, and by class and owner."""
    classes = problem.classes
    read = problem.class_of[problem.class_of >= 0]
    return Demand(
        supply=np.bincount(read, minlength=len(classes)),
        offsets=classes.offsets,
        members=classes.members,
        owned=np.bincount(problem.owner_pair[problem.keepable], minlength=len(classes.members)),
    )
