"""A fleet's plan: its tables, and what it comes to."""

from __future__ import annotations

from spark.plan.fleet_plan import (
    TRAFFIC as TRAFFIC,
    WEIGHTS as WEIGHTS,
    FleetPlan as FleetPlan,
    plan_fleet as plan_fleet,
)
from spark.plan.summary import IDLE_TO_BUSY as IDLE_TO_BUSY
from spark.plan.traffic import BYTES_A_GB as BYTES_A_GB, cross_rack_traffic as cross_rack_traffic
