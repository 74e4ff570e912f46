"""Sizes over time: what a policy would have done, what it costs, and the least it could cost.

replay(processes, policies) -> a Course for each process and policy
"""

from __future__ import annotations

from optimizer.scaling.assignments import Assignments
from optimizer.scaling.bound import least_costs
from optimizer.scaling.course import Course, Totals
from optimizer.scaling.pauses import NoPauses, Pause, Pauses
from optimizer.scaling.policies import (
    OFFERED,
    POLICIES,
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
from optimizer.scaling.process import Process
from optimizer.scaling.replay import STEP_SECONDS, replay
