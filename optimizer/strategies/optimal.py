"""The optimum as a strategy."""

from __future__ import annotations

from optimizer.checker import Prices, Set, encode_prices, encode_set
from optimizer.model import DEFAULT_GOALS, Answer, Goals, Problem
from optimizer.solver import SetBound, solve, solve_by_weight


def assign_optimally(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The answer of `optimizer.solver.solve`; by weight, with what shows how good it is."""
    if not goals.by_weight:
        return solve(problem, goals)
    found = solve_by_weight(problem, goals)
    level = found.bound.level - 1
    if isinstance(found.bound, SetBound):
        certificate = encode_set(Set(level, found.bound.members))
    else:
        certificate = encode_prices(Prices(level, found.bound.prices))
    return Answer(found.target, found.target, found.reason, certificate=certificate)
