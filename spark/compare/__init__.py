"""Strategies compared over a fleet: what each would do, and which would be best."""

from spark.compare.compare import (
    best_first,
    compare_fleet,
    fleet_of,
    groups_table,
    uneven_row,
    write_comparison,
)
from spark.compare.fleet_comparison import FleetComparison, best_of
