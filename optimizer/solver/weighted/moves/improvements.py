"""What makes a plan from scratch better, or its bound: each until the plan is good enough."""

from collections.abc import Callable

import numpy as np

from optimizer.flow import taken_in
from optimizer.model import IntArray
from optimizer.solver.weighted.moves.descent import Descent
from optimizer.solver.weighted.moves.even_out import evened_out
from optimizer.solver.weighted.moves.perturbations import perturbed
from optimizer.solver.weighted.moves.placing import longest_first
from optimizer.solver.weighted.moves.steps import STEPS
from optimizer.solver.weighted.problem import WeightedProblem, without_tiny
from optimizer.solver.weighted.search import Search

ROUNDS = 4
"""So often the rest is evened out where the highest load is stuck."""


class Attempt:
    """Plans of a search: the best one, and one where it is stuck."""

    def __init__(self, search: Search) -> None:
        self.search, self.fitting = search, search.problem
        self.best = self.stuck = longest_first(search.problem)
        search.offer(self.best)

    def improved(self) -> IntArray:
        """The best plan that the improvements find, one after the other, until it is good."""
        for improve in IMPROVEMENTS:
            if self.search.is_good(self.best):
                break
            improve(self)
        return self.best

    def offer(self, plan: IntArray) -> None:
        """Take a plan if it is better than the best."""
        self.best = min((self.best, plan), key=self.search.problem.level_of)


def ask_sets(attempt: Attempt) -> None:
    """Look for a better bound by sets of members."""
    attempt.search.better_bound()


def ask_prices(attempt: Attempt) -> None:
    """Look for a better bound by prices."""
    attempt.search.better_prices(attempt.best)


def lower(attempt: Attempt) -> None:
    """Lower the highest load of the best plan."""
    attempt.best = _lowered(attempt.search.problem, attempt.best, attempt.search)


def begin_with_shares(attempt: Attempt) -> None:
    """Begin once more, from what a flow gives each member."""
    search = attempt.search
    attempt.fitting = without_tiny(search.problem, search.goal)
    plan = by_shares(attempt.fitting, search.bound.level)
    plan = _lowered(attempt.fitting, plan, search)
    attempt.offer(plan)
    attempt.stuck = plan if search.problem.has_tiers else attempt.best


def perturb(attempt: Attempt) -> None:
    """Deal some members' partitions again where the search is stuck."""
    search = attempt.search
    number = search.effort.perturbations
    attempt.offer(perturbed(attempt.fitting, attempt.stuck, number, search.goal))


IMPROVEMENTS: tuple[Callable[[Attempt], None], ...] = (
    *(ask_sets, lower, begin_with_shares),
    *(ask_prices, perturb, ask_prices),
)


def _lowered(problem: WeightedProblem, target: IntArray, search: Search) -> IntArray:
    """The plan with its highest load lowered; where that is stuck, the others are evened out.

    Who is in the way of an exchange then often has room for it.
    """
    everything = np.ones(len(target), np.bool_)
    descent = Descent(problem, target)
    best = search.descended(descent, search.goal, STEPS)
    for _ in range(ROUNDS):
        level = problem.level_of(best)
        if level <= search.goal or descent.is_spent:
            break
        even = evened_out(problem, best, level, everything, search.effort.enough)
        descent = Descent(problem, even)
        lower = search.descended(descent, search.goal, STEPS)
        if problem.level_of(lower) >= level:
            break
        best = lower
    return best


def by_shares(problem: WeightedProblem, level: int) -> IntArray:
    """An assignment in which members have about what a flow gives them of each class.

    Cut into pieces, all partitions fit in at the level of the bound: so much of each class is a
    member's share. The heaviest partitions are dealt first, each to the member whose share of its
    class is the largest still. Other ways to start can't see that a member has to be left to those
    whom no other reads.
    """
    limits = problem.weights.limits(level)
    of_class, of_member = problem.reads.nonzero()
    flow = taken_in(problem.class_weight, limits, of_class, of_member)
    share = np.full(problem.reads.shape, np.iinfo(np.int64).min // 2)
    share[of_class, of_member] = flow.along(0)
    left = limits.copy()
    target = np.full(len(problem.class_of), -1)
    selection = problem.read
    for p, c, weight in zip(
        selection.tolist(),
        problem.class_of[selection].tolist(),
        problem.weight[selection].tolist(),
        strict=True,
    ):
        room = np.minimum(share[c], left)
        member = int(room.argmax())
        target[p] = member
        share[c, member] -= weight
        left[member] -= weight
    return target
