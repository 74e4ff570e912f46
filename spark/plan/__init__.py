"""A fleet's plan: its tables, what it comes to, and why it is as it is."""

from __future__ import annotations

from spark.plan.explain import GroupExplanation, explain_group
from spark.plan.fleet_plan import OWNED, TRAFFIC, FleetPlan, plan_fleet
from spark.plan.traffic import BYTES_A_GB, cross_rack_traffic

__all__ = [
    "BYTES_A_GB",
    "OWNED",
    "TRAFFIC",
    "FleetPlan",
    "GroupExplanation",
    "cross_rack_traffic",
    "explain_group",
    "plan_fleet",
]
