"""A made-up fleet that looks like a real one."""

from __future__ import annotations

from spark.demo.fleet import demo_fleet
from spark.demo.history import make_history

__all__ = ["demo_fleet", "make_history"]
