"""What moves buy in one group: the fewest of them for each largest load."""

from spark.frontier.frontier import (
    FrontierPoint,
    GroupFrontier,
    WeightedFrontierPoint,
    frontier_of_group,
    frontiers_of_rows,
)
