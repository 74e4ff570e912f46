"""What moves buy in one group: the fewest of them for each largest load; told without Spark."""

from __future__ import annotations

from spark.frontier.frontier import (
    FrontierPoint,
    GroupFrontier,
    frontier_of_group,
    frontiers_of_groups,
)

__all__ = ["FrontierPoint", "GroupFrontier", "frontier_of_group", "frontiers_of_groups"]
