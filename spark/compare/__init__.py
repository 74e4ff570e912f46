"""What each strategy would do to a fleet, and which would be best."""

from spark.compare.advised import uneven_row
from spark.compare.best_strategy import best_of
from spark.compare.compare import best_first, compare_fleet, fleet_of
from spark.compare.fleet_comparison import FleetComparison
from spark.compare.write import write_comparison
