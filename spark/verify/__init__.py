"""Checks a plan against its snapshot, without the solver."""

from spark.verify.read_plan import PlanTables, planned_snapshots
from spark.verify.verify import verify_plan
