"""Checks a plan against its snapshot, without the solver."""

from spark.verify.verify import verify_plan

__all__ = ["verify_plan"]
