"""The optimum as a strategy: loads OR-Tools when it is first asked."""

from optimizer.goals import DEFAULT_GOALS, Goals
from optimizer.problem import Problem
from optimizer.strategies.answer import Answer


def assign_optimally(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The answer of `optimizer.solve.solve`."""
    from optimizer.solve import solve  # noqa: PLC0415 - consumers go without OR-Tools

    return solve(problem, goals)
