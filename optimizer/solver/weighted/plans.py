"""Plans by weight: from the owners by few moves, within a budget of moves, or from scratch."""

import numpy as np

from optimizer.model import NOBODY, IntArray
from optimizer.solver.weighted.descent import STEPS, Descent
from optimizer.solver.weighted.improvements import Attempt
from optimizer.solver.weighted.placing import place_rest
from optimizer.solver.weighted.problem import Assignment, WeightedProblem
from optimizer.solver.weighted.relieve import relieve_above
from optimizer.solver.weighted.search import Search, raise_level

UNDONE_PAIRS = 2_000_000
"""No more pairs of partitions are examined together."""


def undo_moves(problem: WeightedProblem, target: IntArray, level: int) -> IntArray:
    """The plan with fewer moves, nowhere above a level.

    The lightest go back to their owners first, then those for which their owner gives up one that
    isn't its own: to whoever had it, or to that one's owner.
    """
    plan, limits = Assignment(problem, target), problem.weights.limits(level)
    while _back_alone(plan, limits) or _exchange(plan, limits):
        pass
    return plan.target


def _moved_partitions(plan: Assignment) -> IntArray:
    """Partitions that aren't with their owner."""
    owner = plan.problem.owner
    moved: IntArray = ((owner != NOBODY) & (plan.target != owner)).nonzero()[0]
    return moved


def _back_alone(plan: Assignment, limits: IntArray) -> bool:
    weight, owners, any_back = plan.problem.weight, plan.problem.owner, False
    moved = _moved_partitions(plan)
    for p in moved[np.argsort(weight[moved], kind="stable")].tolist():
        owner = owners[p]
        if plan.loads[owner] + weight[p] <= limits[owner]:
            plan.give(p, owner)
            any_back = True
    return any_back


def _exchange(plan: Assignment, limits: IntArray) -> bool:
    """Exchange a moved partition for one that its owner has of others, if both then fit."""
    problem, target, moved = plan.problem, plan.target, _moved_partitions(plan)
    foreign = ((target >= 0) & (target != problem.owner)).nonzero()[0]
    if not len(moved) or len(moved) * len(foreign) > UNDONE_PAIRS:
        return False
    holder, owner = target[moved], problem.owner[moved]
    same = owner[:, None] == target[foreign]
    difference = problem.weight[moved][:, None] - problem.weight[foreign]
    room = limits - plan.loads
    fits = same & (difference <= room[owner][:, None]) & (-difference <= room[holder][:, None])
    fits &= problem.reads[problem.class_of[foreign]][:, holder].T
    if not fits.any():
        return False
    # An exchange that brings both back is best.
    worth = fits + (fits & (problem.owner[foreign] == holder[:, None]))
    p, q = divmod(int(worth.argmax()), len(foreign))
    back, other = int(moved[p]), int(target[moved[p]])
    plan.give(back, int(problem.owner[back]))
    plan.give(int(foreign[q]), other)
    return True


MAX_PARTITIONS = 20_000
"""In groups of more partitions the highest load isn't lowered step by step from the owners."""

HALVINGS = 16
"""So often the levels between which the lowest lies are halved."""


def best_plan(search: Search) -> IntArray:
    """The best plan that is found, with few moves where that will do.

    Of a small group that is the best of all, where the bound doesn't show that it is.
    """
    few = _few_moves(search) if search.problem.has_owners else None
    plan = _from_scratch(search) if few is None else few
    if not search.is_proven(plan) and search.has_looked_at_all:
        return search.every.fewest_moves(search.enough)
    return plan


def _few_moves(search: Search) -> IntArray | None:
    """A plan from the owners within the tolerance of the bound, if one is found."""
    plan = _from_owners(search, search.tolerated_level)
    if plan is None and search.better_bound():
        plan = _from_owners(search, search.tolerated_level)
    if plan is not None and not search.is_good(plan):
        search.better_bound()
    return plan


def _from_owners(search: Search, level: int) -> IntArray | None:
    """A plan that isn't above a level, from what everybody has; None if none is found."""
    problem = search.problem
    plan = relieve_above(problem, level)
    if plan is None and len(problem.read) <= MAX_PARTITIONS:
        descent = Descent(problem, place_rest(problem, problem.owner))
        plan = search.run_descent(descent, level, STEPS)
    if plan is None or problem.level_of(plan) > level:
        return None
    return undo_moves(problem, plan, level)


def _from_scratch(search: Search) -> IntArray:
    """The best plan found as if nobody owned anything, and from it back to the owners."""
    problem, best = search.problem, Attempt(search).run()
    if not problem.has_owners:
        return best
    level = raise_level(max(problem.level_of(best), search.bound.level), search.tolerance)
    plans = [undo_moves(problem, best, level), _from_owners(search, level)]
    return min((plan for plan in plans if plan is not None), key=problem.moves_of)


def relieved_and_undone(problem: WeightedProblem, level: int) -> IntArray | None:
    """A plan from the owners, nowhere above a level, by few moves; None if none is found."""
    plan = relieve_above(problem, level)
    return None if plan is None else undo_moves(problem, plan, level)


def within_budget(problem: WeightedProblem, low: int, budget: int) -> IntArray:
    """The lowest plan found of at most `budget` moves, and no lower than `low`.

    Where nothing moves, what has no owner is placed; everything above that level can be reached.
    """
    best = place_rest(problem, problem.owner)
    high = problem.level_of(best)
    if budget <= 0:
        return best
    for _ in range(HALVINGS):
        if high - low <= 1:
            break
        middle = (low + high) // 2
        plan = relieved_and_undone(problem, middle)
        if plan is not None and problem.moves_of(plan) <= budget:
            best, high = plan, problem.level_of(plan)
        else:
            low = middle
    return best
