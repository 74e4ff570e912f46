"""Ways to scale a group: as it was, a fixed number, HPA, KEDA, and Evenfleet's own."""

from optimizer.scaling.policies.evenfleet import Evenfleet
from optimizer.scaling.policies.fixed import AsItWas, Fixed
from optimizer.scaling.policies.hpa import (
    NO_BEHAVIOR,
    SCALE_DOWN,
    SCALE_UP,
    TOLERANCE,
    Change,
    Hpa,
    Rules,
)
from optimizer.scaling.policies.keda import Keda
from optimizer.scaling.policies.policy import Decider, Policy, PolicyError, Seen, thresholds
from optimizer.scaling.policies.registry import OFFERED, POLICIES, policy_of
