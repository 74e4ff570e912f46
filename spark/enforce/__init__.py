"""Plans put into force: in live groups, and of replicas; rebalance and moves need kafka-python."""

from __future__ import annotations

from spark.enforce.export import group_plan
from spark.enforce.in_force import differences, misfit

__all__ = ["differences", "group_plan", "misfit"]
