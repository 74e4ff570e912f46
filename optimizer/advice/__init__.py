"""Advice on one group, as all screens say it: docs/advice.md has the rule."""

from optimizer.advice.rule import advise
from optimizer.advice.situation import (
    KINDS,
    LEVELS,
    SEVERITIES,
    Advice,
    Claimed,
    Grade,
    Levels,
    Situation,
    Spend,
)
from optimizer.assignor.plan_file import follows_plans, why_not_follow
