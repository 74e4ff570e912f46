"""Finds the optimum; OR-Tools is known to flow alone, and loaded when a group needs it."""

from __future__ import annotations

from optimizer.solver.copartition import (
    solve_together as solve_together,
    solve_together_by_weight as solve_together_by_weight,
)
from optimizer.solver.extremes import (
    fewest_moves as fewest_moves,
    min_max_load as min_max_load,
    min_max_load_of as min_max_load_of,
)
from optimizer.solver.frontier import (
    Frontier as Frontier,
    Point as Point,
    frontier_of as frontier_of,
)
from optimizer.solver.homogeneous import solve_homogeneous as solve_homogeneous
from optimizer.solver.solve import solve as solve
from optimizer.solver.weighted import (
    BatchResult as BatchResult,
    SearchBound as SearchBound,
    SetBound as SetBound,
    WeightedFrontier as WeightedFrontier,
    WeightedPoint as WeightedPoint,
    WeightedSolution as WeightedSolution,
    solve_by_weight as solve_by_weight,
    solve_many_by_weight as solve_many_by_weight,
    weighted_frontier_of as weighted_frontier_of,
)
