"""Plans by weight: from the owners by few moves, within a budget of moves, or from scratch."""

from optimizer.model import IntArray
from optimizer.solver.weighted.moves.descent import Descent
from optimizer.solver.weighted.moves.improvements import Attempt
from optimizer.solver.weighted.moves.placing import completed
from optimizer.solver.weighted.moves.relieve import relieved
from optimizer.solver.weighted.moves.steps import STEPS
from optimizer.solver.weighted.moves.undo_moves import undo_moves
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.search import Search, raised

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
    plan = _from_owners(search, search.tolerated)
    if plan is None and search.better_bound():
        plan = _from_owners(search, search.tolerated)
    if plan is not None and not search.is_good(plan):
        search.better_bound()
    return plan


def _from_owners(search: Search, level: int) -> IntArray | None:
    """A plan that isn't above a level, from what everybody has; None if none is found."""
    problem = search.problem
    plan = relieved(problem, level)
    if plan is None and len(problem.read) <= MAX_PARTITIONS:
        descent = Descent(problem, completed(problem, problem.owner))
        plan = search.descended(descent, level, STEPS)
    if plan is None or problem.level_of(plan) > level:
        return None
    return undo_moves(problem, plan, level)


def _from_scratch(search: Search) -> IntArray:
    """The best plan found as if nobody owned anything, and from it back to the owners."""
    problem, best = search.problem, Attempt(search).improved()
    if not problem.has_owners:
        return best
    level = raised(max(problem.level_of(best), search.bound.level), search.tolerance)
    plans = [undo_moves(problem, best, level), _from_owners(search, level)]
    return min((plan for plan in plans if plan is not None), key=problem.moves_of)


def relieved_and_undone(problem: WeightedProblem, level: int) -> IntArray | None:
    """A plan from the owners, nowhere above a level, by few moves; None if none is found."""
    plan = relieved(problem, level)
    return None if plan is None else undo_moves(problem, plan, level)


def within_budget(problem: WeightedProblem, low: int, budget: int) -> IntArray:
    """The lowest plan found of at most `budget` moves, and no lower than `low`.

    Where nothing moves, what has no owner is placed; everything above that level can be reached.
    """
    best = completed(problem, problem.owner)
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
