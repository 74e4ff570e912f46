"""Finds the optimum; OR-Tools is known to flow alone, and loaded when a group needs it."""

from __future__ import annotations

from optimizer.solver.homogeneous import solve_homogeneous
from optimizer.solver.solve import solve

__all__ = ["solve", "solve_homogeneous"]
