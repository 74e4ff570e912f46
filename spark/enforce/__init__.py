"""Plans put into force: in live groups, and of replicas; only brokers need kafka-python."""

from __future__ import annotations

from spark.enforce.evaluate_group import Status as Status
from spark.enforce.export import (
    Exported as Exported,
    NoPlan as NoPlan,
    exported_plan as exported_plan,
    group_plan as group_plan,
    group_plans as group_plans,
)
from spark.enforce.in_force import differences as differences
from spark.enforce.plan_folder import PlanFolder as PlanFolder
