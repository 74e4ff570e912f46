"""Checks a plan against its snapshot, without the solver."""

from __future__ import annotations

from spark.verify.read_plan import (
    PlanTables as PlanTables,
    planned_snapshots as planned_snapshots,
)
from spark.verify.verify import verify_plan as verify_plan
