"""The assignor by its former path."""

from optimizer.assignor.plan_assignor import PlanAssignor, rejoin

__all__ = ["PlanAssignor", "rejoin"]
