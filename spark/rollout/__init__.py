"""How the groups of a fleet come to another assignor or protocol, and what that costs."""

from spark.rollout.rollout import (
    check_target,
    rollout_fleet,
    rollout_report,
    step_for_people,
    why_not,
)
