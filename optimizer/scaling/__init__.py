"""Sizes over time: what a policy would have done, what it costs, and the least it could cost.

replay(processes, policies) -> a Course for each process and policy
"""

from __future__ import annotations

from optimizer.scaling.assignments import Assignments
from optimizer.scaling.bound import least_costs
from optimizer.scaling.by_weight import fewest_by_weight
from optimizer.scaling.course import Course, Totals
from optimizer.scaling.pauses import Pause, Pauses
from optimizer.scaling.policies import (
    NO_BEHAVIOR,
    OFFERED,
    POLICIES,
    SCALE_DOWN,
    SCALE_UP,
    SEARCHED,
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
from optimizer.scaling.prices import Prices
from optimizer.scaling.process import WEEK_SECONDS, Process
from optimizer.scaling.replay import STEP_SECONDS, replay
