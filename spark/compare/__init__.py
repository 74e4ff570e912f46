"""What each strategy would do to a fleet, and which would be best."""

from __future__ import annotations

from spark.compare.best_strategy import best_of
from spark.compare.compare import compare_fleet, fleet_of
from spark.compare.fleet_comparison import FleetComparison

__all__ = ["FleetComparison", "best_of", "compare_fleet", "fleet_of"]
