"""The optimum as a strategy."""

from __future__ import annotations

from optimizer.checker import Prices, Search, Set, encode_prices, encode_search, encode_set
from optimizer.model import DEFAULT_GOALS, Answer, Goals, Problem
from optimizer.solver import (
    Found,
    SearchBound,
    SetBound,
    solve,
    solve_by_weight,
    solve_together,
    solve_together_by_weight,
)


def assign_optimally(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The answer of `optimizer.solver.solve`; by weight, with what shows how good it is."""
    if not goals.by_weight:
        return solve_together(problem, goals) if goals.copartition else solve(problem, goals)
    if goals.copartition:
        found, units = solve_together_by_weight(problem, goals)
        target = units.expand(found.target)
    else:
        found = solve_by_weight(problem, goals)
        target = found.target
    return Answer(target, target, found.reason, certificate=_certificate(found))


def _certificate(found: Found) -> bytes:
    level = found.bound.level - 1
    if isinstance(found.bound, SetBound):
        return encode_set(Set(level, found.bound.members))
    if isinstance(found.bound, SearchBound):
        return encode_search(Search(level))
    return encode_prices(Prices(level, found.bound.prices))
