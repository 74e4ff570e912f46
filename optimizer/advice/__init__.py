"""What one group should do now, as all screens say it: docs/advice.md has the rule."""

from optimizer.advice.judged_group import follows_plans, why_not_follow
from optimizer.advice.rule import advise
from optimizer.advice.situation import (
    KINDS,
    LEVELS,
    SEVERITIES,
    Advice,
    Claimed,
    Level,
    Levels,
    Situation,
)
