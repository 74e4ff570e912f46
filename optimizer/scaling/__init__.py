"""Sizes over time: what a policy would have done, and what it costs.

replay(processes, policies) -> a Course for each process and policy
"""

from optimizer.scaling.course import Course, Prices, Totals
from optimizer.scaling.policies.evenfleet import Evenfleet
from optimizer.scaling.policies.fixed import AsItWas, Fixed
from optimizer.scaling.policies.hpa import NO_BEHAVIOR, SCALE_DOWN, SCALE_UP, TOLERANCE, Hpa, Rules
from optimizer.scaling.policies.keda import Keda
from optimizer.scaling.policies.policy import Policy, PolicyError, thresholds
from optimizer.scaling.policies.registry import OFFERED, POLICIES, policy_of
from optimizer.scaling.process import WEEK_SECONDS, Assignments, Pauses, Process, ResizeCost
from optimizer.scaling.replay import STEP_SECONDS, replay
