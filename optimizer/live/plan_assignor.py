"""The assignor by its former path."""

from __future__ import annotations

from optimizer.assignor.plan_assignor import PlanAssignor, rejoin

__all__ = ["PlanAssignor", "rejoin"]
