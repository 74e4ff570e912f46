"""The plan by weight: the highest load, then moves, then the rest; and the bound that it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from optimizer.figures import counted
from optimizer.model import NOBODY, Goals, IntArray, Problem, classes_of, hosts_of, on_hosts
from optimizer.solver.limits import check_limits
from optimizer.solver.weighted.capped import CappedSearch, caps_of
from optimizer.solver.weighted.every import SearchBound
from optimizer.solver.weighted.max_weight import check_max_weight
from optimizer.solver.weighted.most_loaded import SetBound
from optimizer.solver.weighted.moves.even_hosts import hosts_evened_out
from optimizer.solver.weighted.moves.even_out import evened_out
from optimizer.solver.weighted.plans import best_plan, within_budget
from optimizer.solver.weighted.prices import PriceBound
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.solver.weighted.search import EFFORTS, Search

LARGE = 3_000
"""In larger groups it is tried first whether the plan without caps can be fitted into them."""


class WeightedSolution(NamedTuple):
    """A plan, what shows that none is lower, and why it isn't the best, if it isn't."""

    target: IntArray
    bound: SetBound | PriceBound | SearchBound
    reason: str | None = None


def solve_by_weight(problem: Problem, goals: Goals) -> WeightedSolution:
    """The best plan by weight that the effort finds.

    The highest level (load / capacity) comes first. Where partitions have owners, a plan that is
    within the tolerance of the best that can be, by as few moves as the search finds, will do; who
    has none is placed as evenly as possible. With a budget of moves it looks for the lowest level
    that the budget reaches. If the goals name hosts, and there are no caps, weights of hosts are
    then evened out by what costs neither. What isn't worth its moves (`Goals.min_gain`) isn't
    proposed.

    Limits come before all that; raises LimitsError where they can't be met, or no plan was found
    within `Goals.max_weight`.
    """
    problem = on_hosts(problem, goals.host)
    check_limits(problem, goals)
    check_max_weight(problem, goals)
    weighted, effort = WeightedProblem.of(problem, goals), EFFORTS[goals.effort]
    search = Search(weighted, effort, goals.tolerance)
    budget = _budget(problem, weighted, goals)
    if goals.pin or goals.exclude:  # a few members are then likely to read too much
        search.better_bound()
    if caps := caps_of(problem, goals):
        return _within_caps(search, CappedSearch(problem, goals, weighted, caps), goals, budget)
    reason = None
    target = best_plan(search)
    moves = weighted.moves_of(target)
    if budget is not None and moves > budget:
        target = within_budget(weighted, weighted.level_of(target), budget)
        reason = f"{moves} moves would be lower, and {budget} are allowed"
        moves = weighted.moves_of(target)
    if goals.min_gain and moves:
        unmoved = within_budget(weighted, weighted.level_of(target), 0)
        if gain_of(weighted, unmoved, target) < goals.min_gain * moves:
            target, reason = unmoved, f"not worth {counted(moves, 'move')}"
    search.better_bound_for(target)
    level = max(weighted.level_of(target), search.tolerated)
    may = (weighted.owner == NOBODY) | (target != weighted.owner)
    target = evened_out(weighted, target, level, may, effort.enough)
    if "hosts" in goals.levels and (hosts := hosts_of(problem)):
        target = hosts_evened_out(weighted, target, level, may, hosts)
    return WeightedSolution(target, search.bound, reason)


def _budget(problem: Problem, weighted: WeightedProblem, goals: Goals) -> int | None:
    """How many may move beside those that limits take anyhow."""
    budget = goals.budget(problem.partition_count)
    if budget is None:
        return None
    keepable = int(np.count_nonzero(classes_of(problem).keepable))
    return max(0, budget - keepable + int(np.count_nonzero(weighted.owner != NOBODY)))


def _within_caps(
    search: Search, capped: CappedSearch, goals: Goals, budget: int | None
) -> WeightedSolution:
    """The same where members may have so much and no more: bounds are those without."""
    problem, reason = search.problem, None
    fitting = None
    if budget is None and len(problem.read) > LARGE:
        fitting = capped.fitted(best_plan(search), search.bound.level, goals.tolerance)

    def lowered() -> IntArray:
        tolerance = search.tolerated
        if fitting is not None and problem.level_of(fitting) <= tolerance:
            return fitting
        return capped.lowered(search.goal, tolerance, budget)

    target, before = lowered(), search.bound.level
    search.better_bound_for(target)
    if search.bound.level > before:
        target = lowered()
    moves = problem.moves_of(target)
    if (
        goals.min_gain
        and moves > problem.moves_of(capped.unmoved)
        and gain_of(problem, capped.unmoved, target) < goals.min_gain * moves
    ):
        target, reason = capped.unmoved, f"not worth {counted(moves, 'move')}"
    search.better_prices(target)
    return WeightedSolution(target, search.bound, reason)


def gain_of(problem: WeightedProblem, current: IntArray, planned: IntArray) -> float:
    """Weight that a plan puts right, in partitions of a mean weight: see `Goals.min_gain`."""
    before, after = (
        np.sort(problem.weights.loads(target) / problem.weights.capacity)
        for target in (current, planned)
    )
    mean = float(problem.weight[problem.read].mean()) / float(problem.weights.capacity.mean())
    return float(np.abs(before - after).sum()) / 2 / mean if mean else 0.0
