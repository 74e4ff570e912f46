"""What an HPA has by default, and refuses; test_replay.py has what Kubernetes decides."""

from typing import Any

import numpy as np
import pytest

from optimizer.scaling import Hpa, Keda, PolicyError, Prices, policy_of, replay
from optimizer.scaling.policies.hpa import NO_BEHAVIOR, SCALE_DOWN, SCALE_UP, HpaDecider, Rules
from tests.optimizer.scaling.processes import process


@pytest.mark.parametrize(
    ("members", "most", "size"),
    [
        *((1, 1000, 5), (2, 1000, 6), (3, 1000, 7), (5, 1000, 10), (10, 1000, 20)),
        (20, 10, 10),  # of more than the most it takes the most
        (0, 1000, 0),  # TestZeroReplicas
    ],
)
def test_a_group_grows_by_the_larger_of_four_members_and_twice_by_default(
    members: int, most: int, size: int
) -> None:
    """Where any behavior is stated: defaults.go."""
    hpa = Hpa(1.0, 1, most, scale_up=SCALE_UP, scale_down=SCALE_DOWN)
    decider = HpaDecider(hpa, np.ones(1))
    assert decider.normalize(0.0, np.array([members]), np.array([1000])).tolist() == [size]


def test_without_a_behavior_none_is_stated() -> None:
    assert Hpa(1.0).scale_up == Keda().scale_up == NO_BEHAVIOR


def test_a_direction_that_is_stated_fills_in_the_other() -> None:
    """GenerateHPAScaleUpRules, GenerateHPAScaleDownRules."""
    slow = {"scaleDown": {"stabilizationWindowSeconds": 600}}
    made = policy_of({"kind": "hpa", "averageValue": 10, "behavior": slow})
    assert (made.scale_up, made.scale_down) == (SCALE_UP, Rules(600, SCALE_DOWN.changes))


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        ({"min_replicas": 5, "max_replicas": 4}, "5 members at least and 4 at most"),
        ({"min_replicas": 0}, "1 member at least"),
        ({"tolerance": 1.5}, "tolerance"),
        ({"average_value": 0.3}, "averageValue is 0.3 and must be a whole number from 1 on"),
    ],
)
def test_what_makes_no_sense_is_refused(stated: dict[str, float], why: str) -> None:
    with pytest.raises(PolicyError, match=why):
        Hpa(**{"average_value": 10.0} | stated)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules_down", "why"),
    [
        ({"stabilizationWindowSeconds": "5m"}, "stabilizationWindowSeconds is '5m'"),
        ({"stabilizationWindowSeconds": 0.5}, "stabilizationWindowSeconds is 0.5: 0 to 3,600"),
        ({"policies": 3}, "policies is 3 and must be a list of tables"),
        (
            {"policies": [{"type": "Pods", "value": "x", "periodSeconds": 60}]},
            "value is 'x' and must be a whole number",
        ),
        ({"policies": ["Pods"]}, "each of policies has periodSeconds, type, value"),
        ({"selectPolicy": ["Max"]}, "selectPolicy is"),
    ],
)
def test_a_behavior_of_other_types_is_refused(rules_down: dict[str, Any], why: str) -> None:
    table = {"kind": "hpa", "averageValue": 10, "behavior": {"scaleDown": rules_down}}
    with pytest.raises(PolicyError, match=why):
        policy_of(table)


def test_very_many_members_take_no_table_of_all_sizes() -> None:
    """A lag of millions with a target of one record: the group asks for its most."""
    group = process([[2000.0] * 4] * 2, peak_rate=1.0)
    (course,) = replay([group], [Hpa(1.0, max_replicas=1_000_000)])[0]
    assert course.totals(Prices()).most_members == 1_000_000
