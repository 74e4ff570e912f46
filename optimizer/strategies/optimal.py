"""The optimum as a strategy."""

from __future__ import annotations

from optimizer.model import DEFAULT_GOALS, Answer, Goals, Problem
from optimizer.solver import solve


def assign_optimally(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The answer of `optimizer.solver.solve`."""
    return solve(problem, goals)
