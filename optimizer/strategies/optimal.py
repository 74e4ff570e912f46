"""The optimum as a strategy."""

from optimizer.checker import PriceProof, SearchProof, Set, encode_prices, encode_search, encode_set
from optimizer.model import DEFAULT_GOALS, Answer, Goals, Problem, resolve_balance
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
    goals = resolve_balance(goals, problem)
    if not goals.by_weight:
        return solve_together(problem, goals) if goals.copartition else solve(problem, goals)
    if goals.copartition:
        solution, units = solve_together_by_weight(problem, goals)
        target = units.expand(solution.target)
    else:
        solution = solve_by_weight(problem, goals)
        target = solution.target
    return Answer(target, target, solution.reason, certificate=_certificate(solution))


def _certificate(solution: WeightedSolution) -> bytes:
    level = solution.bound.level - 1
    if isinstance(solution.bound, SetBound):
        return encode_set(Set(level, solution.bound.members))
    if isinstance(solution.bound, SearchBound):
        return encode_search(SearchProof(level))
    return encode_prices(PriceProof(level, solution.bound.prices))
