"""Finds the optimum; OR-Tools is known to flow alone, and loaded when a group needs it."""

from optimizer.solver.frontier import Frontier, Point, frontier_of
from optimizer.solver.pipeline import fewest_moves, min_max_load, min_max_load_of
from optimizer.solver.shortcuts import solve_homogeneous
from optimizer.solver.solve import solve
from optimizer.solver.weighted import (
    SearchBound,
    SetBound,
    WeightedFrontier,
    WeightedPoint,
    WeightedSolution,
    solve_by_weight,
    solve_together,
    solve_together_by_weight,
    weighted_frontier_of,
)
