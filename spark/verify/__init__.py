"""Checks a plan against its snapshot, without the solver."""

from spark.verify.verify import PlanTables, planned_snapshots, verify_plan
