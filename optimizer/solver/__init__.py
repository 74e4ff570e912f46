"""Finds the optimum; OR-Tools is known to flow alone, and loaded when a group needs it."""

from __future__ import annotations

from optimizer.solver.fewest_moves import fewest_moves
from optimizer.solver.homogeneous import solve_homogeneous
from optimizer.solver.solve import solve

__all__ = ["fewest_moves", "solve", "solve_homogeneous"]
