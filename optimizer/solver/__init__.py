"""Finds the optimum; OR-Tools is known to flow alone, and loaded when a group needs it."""

from __future__ import annotations

from optimizer.solver.balance import least_max_load, least_max_load_of
from optimizer.solver.fewest_moves import fewest_moves
from optimizer.solver.flow import Takers, fewest_takers
from optimizer.solver.frontier import Frontier, Point, frontier_of
from optimizer.solver.homogeneous import solve_homogeneous
from optimizer.solver.solve import solve
from optimizer.solver.together import solve_together, solve_together_by_weight
from optimizer.solver.weighted import (
    Found,
    FoundOfMany,
    SetBound,
    WeightedFrontier,
    WeightedPoint,
    solve_by_weight,
    solve_many_by_weight,
    weighted_frontier_of,
)

__all__ = [
    "Found",
    "FoundOfMany",
    "Frontier",
    "Point",
    "SetBound",
    "Takers",
    "WeightedFrontier",
    "WeightedPoint",
    "fewest_moves",
    "fewest_takers",
    "frontier_of",
    "least_max_load",
    "least_max_load_of",
    "solve",
    "solve_by_weight",
    "solve_homogeneous",
    "solve_many_by_weight",
    "solve_together",
    "solve_together_by_weight",
    "weighted_frontier_of",
]
