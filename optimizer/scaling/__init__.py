"""Sizes over time: what a policy would have done, what it costs, and the least it could cost.

replay(processes, policies) -> a Course for each process and policy
"""

from __future__ import annotations

from optimizer.scaling.assignments import Assignments as Assignments
from optimizer.scaling.bound import least_costs as least_costs
from optimizer.scaling.course import Course as Course, Totals as Totals
from optimizer.scaling.pauses import NoPauses as NoPauses, Pause as Pause, Pauses as Pauses
from optimizer.scaling.policies import (
    OFFERED as OFFERED,
    POLICIES as POLICIES,
    SEARCHED as SEARCHED,
    AsItWas as AsItWas,
    Evenfleet as Evenfleet,
    Fixed as Fixed,
    Hpa as Hpa,
    Keda as Keda,
    Policy as Policy,
    PolicyError as PolicyError,
    Rules as Rules,
    policy_of as policy_of,
    thresholds as thresholds,
)
from optimizer.scaling.prices import Prices as Prices
from optimizer.scaling.process import Process as Process
from optimizer.scaling.replay import STEP_SECONDS as STEP_SECONDS, replay as replay
