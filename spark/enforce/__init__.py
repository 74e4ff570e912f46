"""A plan put into force in live groups; rebalance alone needs kafka-python."""

from __future__ import annotations

from spark.enforce.export import group_plan
from spark.enforce.in_force import differences, misfit

__all__ = ["differences", "group_plan", "misfit"]
