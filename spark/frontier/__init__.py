"""What moves buy in one group: the fewest of them for each largest load."""

from __future__ import annotations

from spark.frontier.frontier import (
    frontier_of_group as frontier_of_group,
    frontiers_of_rows as frontiers_of_rows,
)
from spark.frontier.points import (
    FrontierPoint as FrontierPoint,
    GroupFrontier as GroupFrontier,
    WeightedFrontierPoint as WeightedFrontierPoint,
)
