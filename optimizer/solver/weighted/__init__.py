"""Plans by weight: NP-hard, so a good plan, and a bound that is shown (docs/weights.md)."""

from __future__ import annotations

from optimizer.solver.weighted.solve import Found, solve_by_weight

__all__ = ["Found", "solve_by_weight"]
