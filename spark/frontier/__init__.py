"""What moves buy in one group: the fewest of them for each largest load."""

from spark.frontier.frontier import frontier_of_group, frontiers_of_rows
from spark.frontier.points import FrontierPoint, GroupFrontier, WeightedFrontierPoint
