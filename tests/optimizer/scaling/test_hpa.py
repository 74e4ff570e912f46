"""HPA by the vectors of Kubernetes' own tests: pkg/controller/podautoscaler/horizontal_test.go."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from optimizer.scaling import Hpa, Keda, PolicyError, Prices, policy_of, replay
from optimizer.scaling.policies.hpa import (
    NO_BEHAVIOR,
    SCALE_DOWN,
    SCALE_UP,
    HpaDecider,
    PodChange,
    Rules,
    desired_replicas,
)
from tests.optimizer.scaling.processes import process

NOW = 10_000.0


def rules(pods: int, pods_period: int, percent: int, percent_period: int, window: int) -> Rules:
    """Of generateScalingRules."""
    changes = [PodChange("Pods", pods, pods_period)] if pods else []
    changes += [PodChange("Percent", percent, percent_period)] if percent else []
    return Rules(window, tuple(changes))


def spread(events: list[int], period: int) -> list[tuple[float, int]]:
    """Of generateEventsUniformDistribution: each event in the middle of its share of the period."""
    part = period / max(len(events), 1)
    return [(NOW - (period - part * (at + 1) + part / 2), item) for at, item in enumerate(events)]


class Case(NamedTuple):
    """A group of `now` members, for which a size is asked; changes and recommendations before."""

    name: str
    now: int
    asked: int
    least: int
    most: int
    expected: int
    up: Rules = SCALE_UP
    down: Rules = SCALE_DOWN
    up_events: tuple[int, ...] = ()
    down_events: tuple[int, ...] = ()
    recommended: tuple[tuple[int, int], ...] = ()


SLOW = Rules(0, (PodChange("Pods", 2, 60), PodChange("Percent", 50, 60)), "Min")
NEVER = Rules(0, SCALE_DOWN.changes, "Disabled")
R, THREE = rules, (1, 5, 9)

CASES = [
    Case("within range", 5, 7, 3, 8, 7),
    Case("below the least", 3, 1, 2, 8, 2),
    Case("above the most, and so is it now", 20, 1000, 1, 10, 10),
    Case("above the most", 100, 1000, 100, 150, 150),
    Case("up by percent, rounded up", 3, 1000, 1, 2000, 4, up=R(0, 0, 1, 60, 0)),
    Case("down by pods", 1000, 3, 3, 2000, 980, down=R(20, 60, 0, 0, 0)),
    Case("up by default", 10, 50, 1, 1000, 20),
    Case("down, pods are a little more", 100, 2, 1, 1000, 98, down=R(2, 60, 1, 60, 300)),
    Case("down to the least", 10, 0, 1, 1000, 1, down=R(100, 60, 0, 0, 300)),
    Case("up after events", 100, 500, 1, 200, 200, R(300, 60, 0, 0, 0), up_events=THREE),
    Case("up, used up", 100, 500, 1, 1000, 100, R(5, 120, 0, 0, 0), up_events=THREE),
    Case("up after both", 6, 24, 1, 1000, 16, R(0, 0, 300, 300, 0), SCALE_DOWN, (4,), (2,)),
    Case("down by default after events", 10, 5, 1, 1000, 5, down_events=THREE),
    Case("down, used up", 100, 2, 1, 1000, 100, down=R(5, 120, 0, 0, 300), down_events=THREE),
    Case("down after both", 10, 1, 1, 1000, 6, SCALE_UP, R(0, 0, 50, 180, 0), (2,), (4,)),
    # the highest recommendation of five minutes counts: TestNormalizeDesiredReplicas
    Case("down at once", 100, 5, 1, 1000, 5),
    Case("lower before", 100, 3, 1, 1000, 3, recommended=((120, 1), (60, 2))),
    Case("both", 100, 3, 1, 1000, 5, recommended=((600, 10), (540, 9), (120, 5), (60, 4))),
    # TestCalculateScaleUpLimitWithScalingRules, TestCalculateScaleDownLimitWithBehaviors
    Case("Min takes the smaller growth", 1, 100, 1, 1000, 2, up=SLOW),
    Case("Min takes the smaller loss", 5, 1, 1, 1000, 3, down=SLOW),
    # by defaults.go the larger of 4 pods and 100 %, where any behavior is stated
    *(
        Case(f"up from {now}", now, 100, 1, 1000, to)
        for now, to in ((1, 5), (2, 6), (3, 7), (5, 10))
    ),
    # by calculateScaleUpLimit twice or 4, without
    *(
        Case(f"up from {now} without behavior", now, 100, 1, 1000, to, up=NO_BEHAVIOR)
        for now, to in ((1, 4), (2, 4), (3, 6), (5, 10))
    ),
    Case("a disabled direction", 5, 1, 1, 1000, 5, down=NEVER),
    Case("no members are left alone, TestZeroReplicas", 0, 4, 3, 5, 0),
]
"""TestScalingWithRules, and others."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_size_changes_no_faster_than_its_behavior_allows(case: Case) -> None:
    hpa = Hpa(1.0, case.least, case.most, scale_up=case.up, scale_down=case.down)
    decider = HpaDecider(hpa, np.ones(1))
    events = spread([*case.up_events], 120)
    events += [(at, -item) for at, item in spread([*case.down_events], 120)]
    decider.changed.extend((at, np.array([item])) for at, item in sorted(events))
    for ago, item in case.recommended:
        decider.highest.add(NOW - ago, np.array([item]))
    members, asked = np.array([case.now]), np.array([case.asked])
    assert decider.normalize(NOW, members, asked).tolist() == [case.expected]


def test_without_a_behavior_none_is_stated() -> None:
    assert Hpa(1.0).scale_up == Keda().scale_up == NO_BEHAVIOR


def test_a_direction_that_is_stated_fills_in_the_other() -> None:
    """GenerateHPAScaleUpRules, GenerateHPAScaleDownRules."""
    slow = {"scaleDown": {"stabilizationWindowSeconds": 600}}
    made = policy_of({"kind": "hpa", "averageValue": 10, "behavior": slow})
    assert (made.scale_up, made.scale_down) == (SCALE_UP, Rules(600, SCALE_DOWN.changes))


@pytest.mark.parametrize(
    ("lag", "target", "members", "expected"),
    [
        (8.6, 2.2, 4, 4),  # TestTolerancePerPodCMExternal: 8.6 ÷ (2.2 × 4) is within 10 %
        (8.6, 2.0, 4, 4),  # 1.075
        (11.0, 10.0, 1, 1),  # 1.1 and 0.9 are within the tolerance (Tolerances.isWithin)
        (12.0, 10.0, 1, 2),
        (27.0, 10.0, 3, 3),
        (8.6, 3.0, 5, 3),  # far from it, and rounded up
        (8.6, 2.0, 3, 5),
        (0.0, 5.0, 3, 0),
    ],
)
def test_replicas_are_lag_by_target_unless_it_is_near(
    lag: float, target: float, members: int, expected: int
) -> None:
    sizes = desired_replicas(np.array([lag]), np.array([target]), np.array([members]), 0.1)
    assert sizes.tolist() == [expected]


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
