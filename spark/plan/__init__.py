"""A fleet's plan: its tables, and what it comes to."""

from __future__ import annotations

from spark.plan.fleet_plan import TRAFFIC, WEIGHTS, FleetPlan, plan_fleet
from spark.plan.summary import summarize_groups
from spark.plan.traffic import BYTES_A_GB, cross_rack_traffic

__all__ = [
    "BYTES_A_GB",
    "TRAFFIC",
    "WEIGHTS",
    "FleetPlan",
    "cross_rack_traffic",
    "plan_fleet",
    "summarize_groups",
]
