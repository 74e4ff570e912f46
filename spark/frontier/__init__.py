"""The frontier of one group: the fewest moves for each largest load."""

from spark.frontier.frontier import (
    FrontierPoint,
    GroupFrontier,
    WeightedFrontierPoint,
    frontier_of_group,
    frontier_of_row,
)
