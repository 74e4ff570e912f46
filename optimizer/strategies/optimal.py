"""The optimum as a strategy."""

from optimizer.checker import Prices, Search, Set, encode_prices, encode_search, encode_set
from optimizer.model import DEFAULT_GOALS, Answer, Goals, Problem, judged
from optimizer.solver import (
    SearchBound,
    SetBound,
    WeightedSolution,
    solve,
    solve_by_weight,
    solve_together,
    solve_together_by_weight,
)


def assign_optimally(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The answer of `optimizer.solver.solve`; by weight, with what shows how good it is."""
    goals = judged(goals, problem)
    if not goals.by_weight:
        return solve_together(problem, goals) if goals.copartition else solve(problem, goals)
    if goals.copartition:
        result, units = solve_together_by_weight(problem, goals)
        target = units.expand(result.target)
    else:
        result = solve_by_weight(problem, goals)
        target = result.target
    return Answer(target, target, result.reason, certificate=_certificate(result))


def _certificate(result: WeightedSolution) -> bytes:
    level = result.bound.level - 1
    if isinstance(result.bound, SetBound):
        return encode_set(Set(level, result.bound.members))
    if isinstance(result.bound, SearchBound):
        return encode_search(Search(level))
    return encode_prices(Prices(level, result.bound.prices))
