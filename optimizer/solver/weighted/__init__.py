"""Plans by weight: NP-hard, so a good plan, and a bound that is shown (docs/weights.md)."""

from optimizer.solver.weighted.frontier import WeightedFrontier, WeightedPoint, weighted_frontier_of
from optimizer.solver.weighted.prices import SetBound
from optimizer.solver.weighted.search import SearchBound
from optimizer.solver.weighted.solve import (
    WeightedSolution,
    solve_by_weight,
    solve_together,
    solve_together_by_weight,
)
