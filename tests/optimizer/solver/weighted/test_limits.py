"""Limits and weights together: what they forbid, and how it is told that they can't be met."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.numbering import problem_of


def two() -> Group:
    owned = [("t", 0), ("t", 1), ("t", 2), ("t", 3)]
    return Group(
        topics={"t": 4},
        members=[Member("a", ["t"], owned), Member("b", ["t"]), Member("c", ["t"])],
        weights={"t": [4.0, 3.0, 2.0, 1.0]},
    )


def test_a_member_that_is_drained_gives_up_all_by_weight_too() -> None:
    plan = assign(two(), goals=Goals(balance="weight", exclude="a"))  # type: ignore[arg-type]
    assert plan.assignment["a"] == []
    sentences = plan.explain().sentences()
    assert [sentence.endswith("; its limits take that") for sentence in sentences] == [True] * 4 + [
        False
    ]
    verdict = plan.check()
    assert verdict.weight is not None
    assert (verdict.weight.max_weight, verdict.weight.weight_bound) == pytest.approx((5, 5))
    assert (verdict.weight.moves, verdict.weight.moves_bound) == (4, 4)


def test_a_members_weight_is_kept_to() -> None:
    goals = Goals(balance="weight", max_weight=[{"members": "a", "most": 1.5}])  # type: ignore[arg-type]
    plan = assign(two(), goals=goals)
    assert plan.assignment["a"] == [("t", 3)]
    problem = problem_of(two()).problem
    assert check_assignment(problem, np.zeros(4, np.int64), goals=goals).faults == [
        "a is given a weight of 10, and its limits allow 1.5"
    ]


def test_too_little_room_for_weight_is_told_in_words() -> None:
    limits = {"exclude": ["a"], "max_weight": [{"most": 4.5}], "max_partitions": [{"most": 9}]}
    with pytest.raises(LimitsError) as caught:
        assign(two(), goals=Goals(balance="weight", **limits))  # type: ignore[arg-type]
    assert str(caught.value) == (
        "its limits can't be met together: exclusion of a and at most a weight of 4.5 for each "
        "member; 4 partitions of t, which weigh 10, may go to b, c alone, which may have 9"
    )
    with pytest.raises(LimitsError) as caught:
        assign(two(), goals=Goals(balance="weight", max_weight=3.5))  # type: ignore[arg-type]
    assert str(caught.value) == (
        "its limits can't be met: at most a weight of 3.5 for each member; 1 partition of t, which "
        "weighs 4, may go to a, b, c alone, which may have 10.5"
    )


def test_max_weight_is_about_weights_alone() -> None:
    with pytest.raises(GoalsError) as caught:
        Goals(max_weight=3.5)  # type: ignore[arg-type]
    assert caught.value.faults == ["max_weight needs balance = 'weight'"]
    with pytest.raises(GoalsError):
        Goals(balance="weight", max_weight=-1)  # type: ignore[arg-type]
    goals = Goals(balance="weight", max_weight=3.5)  # type: ignore[arg-type]
    assert replace(goals, tolerance=0.0).max_weight == goals.max_weight
