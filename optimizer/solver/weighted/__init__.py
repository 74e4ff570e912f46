"""Plans by weight: NP-hard, so a good plan, and a bound that is shown (docs/weights.md)."""

from __future__ import annotations

from optimizer.solver.weighted.frontier import (
    WeightedFrontier,
    WeightedPoint,
    weighted_frontier_of,
)
from optimizer.solver.weighted.many import FoundOfMany, solve_many_by_weight
from optimizer.solver.weighted.most_loaded import SetBound
from optimizer.solver.weighted.solve import Found, solve_by_weight

__all__ = [
    "Found",
    "FoundOfMany",
    "SetBound",
    "WeightedFrontier",
    "WeightedPoint",
    "solve_by_weight",
    "solve_many_by_weight",
    "weighted_frontier_of",
]
