"""Ways to scale a group: as it was, a fixed number, HPA, KEDA, and Evenfleet's own."""

from __future__ import annotations

from optimizer.scaling.policies.as_it_was import AsItWas as AsItWas
from optimizer.scaling.policies.evenfleet import Evenfleet as Evenfleet
from optimizer.scaling.policies.fixed import Fixed as Fixed
from optimizer.scaling.policies.hpa import Change as Change, Hpa as Hpa, Rules as Rules
from optimizer.scaling.policies.keda import Keda as Keda
from optimizer.scaling.policies.policy import (
    Decider as Decider,
    Policy as Policy,
    PolicyError as PolicyError,
    Seen as Seen,
    thresholds as thresholds,
)
from optimizer.scaling.policies.registry import (
    OFFERED as OFFERED,
    POLICIES as POLICIES,
    SEARCHED as SEARCHED,
    policy_of as policy_of,
)
