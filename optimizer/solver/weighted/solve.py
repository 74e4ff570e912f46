"""The plan by weight: the highest load, then moves, then the rest; and the bound that it has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from optimizer.model import NOBODY, Goals, IntArray, Problem, classes_of, hosts_of, on_hosts
from optimizer.solver.limits import check_limits
from optimizer.solver.weighted.capped import CappedSearch, caps_of
from optimizer.solver.weighted.every import SearchBound
from optimizer.solver.weighted.max_weight import check_max_weight
from optimizer.solver.weighted.most_loaded import SetBound
from optimizer.solver.weighted.moves.even_hosts import hosts_evened_out
from optimizer.solver.weighted.moves.even_out import evened_out
from optimizer.solver.weighted.plans import found, within_budget
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
    within the tolerance of the best that can be, by as few moves as can be found, will do; who has
    none is placed as evenly as can be. With a budget of moves the lowest level is looked for that
    so many reach. If the goals name hosts, and there are no caps, weights of hosts are then evened
    out by what costs neither. What isn't worth its moves (`Goals.min_gain`) isn't proposed.

    Limits come before all that; raises LimitsError where they can't be met, or no plan was found
    within `Goals.max_weight`.
    """
    problem = on_hosts(problem, goals.host)
    check_limits(problem, goals)
    check_max_weight(problem, goals)
    facts, effort = WeightedProblem.of(problem, goals), EFFORTS[goals.effort]
    search = Search(facts, effort, goals.tolerance)
    budget = _budget(problem, facts, goals)
    if goals.pin or goals.exclude:  # a few members are then likely to read too much
        search.better_bound()
    if caps := caps_of(problem, goals):
        return _within_caps(search, CappedSearch(problem, goals, facts, caps), goals, budget)
    reason = None
    target = found(search)
    moves = facts.moves_of(target)
    if budget is not None and moves > budget:
        target = within_budget(facts, facts.level_of(target), budget)
        reason = f"{moves} moves would be lower, and {budget} are allowed"
        moves = facts.moves_of(target)
    if goals.min_gain and moves:
        unmoved = within_budget(facts, facts.level_of(target), 0)
        if gain_of(facts, unmoved, target) < goals.min_gain * moves:
            target, reason = unmoved, f"not worth {moves} move{'s' * (moves != 1)}"
    search.better_bound_for(target)
    level = max(facts.level_of(target), search.tolerated)
    may = (facts.owner == NOBODY) | (target != facts.owner)
    target = evened_out(facts, target, level, may, effort.enough)
    if "hosts" in goals.levels and (hosts := hosts_of(problem)):
        target = hosts_evened_out(facts, target, level, may, hosts)
    return WeightedSolution(target, search.bound, reason)


def _budget(problem: Problem, facts: WeightedProblem, goals: Goals) -> int | None:
    """How many may move beside those that limits take anyhow."""
    budget = goals.budget(problem.partition_count)
    if budget is None:
        return None
    keepable = int(np.count_nonzero(classes_of(problem).keepable))
    return max(0, budget - keepable + int(np.count_nonzero(facts.owner != NOBODY)))


def _within_caps(
    search: Search, capped: CappedSearch, goals: Goals, budget: int | None
) -> WeightedSolution:
    """The same where members may have so much and no more: bounds are those without."""
    facts, reason = search.facts, None
    fitting = None
    if budget is None and len(facts.read) > LARGE:
        fitting = capped.fitted(found(search), search.bound.level, goals.tolerance)

    def lowered() -> IntArray:
        tolerance = search.tolerated
        if fitting is not None and facts.level_of(fitting) <= tolerance:
            return fitting
        return capped.lowered(search.goal, tolerance, budget)

    target, before = lowered(), search.bound.level
    search.better_bound_for(target)
    if search.bound.level > before:
        target = lowered()
    moves = facts.moves_of(target)
    if (
        goals.min_gain
        and moves > facts.moves_of(capped.unmoved)
        and gain_of(facts, capped.unmoved, target) < goals.min_gain * moves
    ):
        target, reason = capped.unmoved, f"not worth {moves} move{'s' * (moves != 1)}"
    search.better_prices(target)
    return WeightedSolution(target, search.bound, reason)


def gain_of(facts: WeightedProblem, found: IntArray, planned: IntArray) -> float:
    """Weight that a plan puts right, in partitions of a mean weight: see `Goals.min_gain`."""
    before, after = (
        np.sort(facts.weights.loads(target) / facts.weights.capacity) for target in (found, planned)
    )
    mean = float(facts.weight[facts.read].mean()) / float(facts.weights.capacity.mean())
    return float(np.abs(before - after).sum()) / 2 / mean if mean else 0.0
