"""Sizes over time: what a policy would have done, and what it costs.

replay(processes, policies) -> a Course for each process and policy
"""

from optimizer.scaling.course import Course, Prices, Totals
from optimizer.scaling.policies import (
    NO_BEHAVIOR,
    OFFERED,
    POLICIES,
    SCALE_DOWN,
    SCALE_UP,
    TOLERANCE,
    AsItWas,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    PolicyError,
    Rules,
    policy_of,
    thresholds,
)
from optimizer.scaling.process import WEEK_SECONDS, Assignments, Pause, Pauses, Process
from optimizer.scaling.replay import STEP_SECONDS, replay
