"""Plans put into force: in live groups, and of replicas; only brokers need kafka-python."""

from __future__ import annotations

from spark.enforce.export import Exported, NoPlan, exported_plan, group_plan, group_plans
from spark.enforce.in_force import differences, misfit
from spark.enforce.judge import Status
from spark.enforce.plan_folder import Entry, PlanFolder
from spark.enforce.ways import Way, way_of, why_not

__all__ = [
    "Entry",
    "Exported",
    "NoPlan",
    "PlanFolder",
    "Status",
    "Way",
    "differences",
    "exported_plan",
    "group_plan",
    "group_plans",
    "misfit",
    "way_of",
    "why_not",
]
