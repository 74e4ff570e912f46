"""Plans by weight: NP-hard, so a good plan, and a bound that is shown (docs/weights.md)."""

from __future__ import annotations

from optimizer.solver.weighted.batched import (
    BatchResult as BatchResult,
    solve_many_by_weight as solve_many_by_weight,
)
from optimizer.solver.weighted.every import SearchBound as SearchBound
from optimizer.solver.weighted.frontier import (
    WeightedFrontier as WeightedFrontier,
    WeightedPoint as WeightedPoint,
    weighted_frontier_of as weighted_frontier_of,
)
from optimizer.solver.weighted.most_loaded import SetBound as SetBound
from optimizer.solver.weighted.solve import (
    WeightedSolution as WeightedSolution,
    solve_by_weight as solve_by_weight,
)
