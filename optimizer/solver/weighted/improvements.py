"""What makes a plan from scratch better, or its bound: each until the plan is good enough."""

import random
from collections.abc import Callable
from zlib import crc32

import numpy as np

from optimizer.flow import taken_in
from optimizer.model import IntArray
from optimizer.solver.weighted.descent import STEPS, Descent
from optimizer.solver.weighted.even_out import evened_out
from optimizer.solver.weighted.placing import longest_first
from optimizer.solver.weighted.problem import WeightedProblem, without_tiny
from optimizer.solver.weighted.search import Search

MAX_PARTITIONS = 3_000
"""Groups of more partitions, or with that many times the partitions a member, aren't perturbed."""


def perturbed(
    problem: WeightedProblem, target: IntArray, perturbations: int, goal: int
) -> IntArray:
    """The best plan of a descent from here and after each perturbation.

    Two to five members, the fullest among them, have their partitions dealt again, in about the
    order of their weights. The random numbers depend on the weights alone.
    """
    if len(problem.read) > MAX_PARTITIONS or problem.members < 2:
        return target
    draw = random.Random(crc32(problem.weight.tobytes()))
    best, worth = target, _worth(problem, target)
    for _ in range(perturbations * problem.members):
        if worth[0] <= goal:
            break
        plan = Descent(problem, _dealt(problem, best, draw)).run(goal, STEPS)
        its_worth = _worth(problem, plan)
        if its_worth <= worth:
            best, worth = plan, its_worth
    return best


def _worth(problem: WeightedProblem, target: IntArray) -> tuple[int, float]:
    loads = problem.weights.loads(target)
    levels = problem.weights.levels(loads)
    squares = loads.astype(np.float64) ** 2 / problem.weights.capacity
    return int(levels.max(initial=0)), sum(squares.tolist())


def _dealt(problem: WeightedProblem, target: IntArray, draw: random.Random) -> IntArray:
    indices = target.copy()
    loads = problem.weights.loads(target)
    top = int(problem.weights.levels(loads).argmax())
    hands = [top]
    for _ in range(min(1 + int(4 * draw.random()), problem.members - 1)):
        other = int(problem.members * draw.random())
        if other not in hands:
            hands.append(other)
    dealt = np.isin(target, hands).nonzero()[0].tolist()
    weights = dict(zip(dealt, problem.weight[dealt].tolist(), strict=True))
    dealt.sort(key=lambda p: -weights[p] * (0.6 + 0.8 * draw.random()))
    scale = (problem.weights.parts / problem.weights.capacity[hands]).tolist()
    held = [0] * len(hands)
    reads = problem.reads[:, hands].tolist()
    classes = dict(zip(dealt, problem.class_of[dealt].tolist(), strict=True))
    for p in dealt:
        weight, may = weights[p], reads[classes[p]]
        at = min(
            (k for k in range(len(hands)) if may[k]),
            key=lambda k: (held[k] + weight) * scale[k],
        )
        held[at] += weight
        indices[p] = hands[at]
    return indices


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
        descended = search.descended(descent, search.goal, STEPS)
        if problem.level_of(descended) >= level:
            break
        best = descended
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
    read = problem.read
    for p, c, weight in zip(
        read.tolist(),
        problem.class_of[read].tolist(),
        problem.weight[read].tolist(),
        strict=True,
    ):
        room = np.minimum(share[c], left)
        member = int(room.argmax())
        target[p] = member
        share[c, member] -= weight
        left[member] -= weight
    return target
