"""An assignment while it is changed."""

from optimizer.model import IntArray
from optimizer.solver.weighted.problem import NOTHING, Change, WeightedProblem


class Assignment:
    """Who has each partition, NOBODY for some, and what members have together."""

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

    def make(self, change: Change, giver: int) -> None:
        """Let a member give a partition, and take another one for it if that is the change."""
        self.give(change.gives, change.taker)
        if change.gets != NOTHING:
            self.give(change.gets, giver)
