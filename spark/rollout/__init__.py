"""How the groups of a fleet come to another assignor or protocol, and what that costs."""

from __future__ import annotations

from spark.rollout.rollout import rollout_fleet
from spark.rollout.rollout_row import RolloutRow
from spark.rollout.sentences import rollout_told

__all__ = ["RolloutRow", "rollout_fleet", "rollout_told"]
