"""What each strategy would do to a fleet, and which would be best."""

from spark.compare.compare import best_first, compare_fleet, fleet_of
from spark.compare.fleet_comparison import FleetComparison, best_of
from spark.compare.write import groups_table, uneven_row, write_comparison
