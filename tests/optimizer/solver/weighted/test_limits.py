"""Limits and weights together, against every assignment of tiny groups."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model import IntArray, Problem, limits_of, weights_of
from optimizer.model.numbering import problem_of
from optimizer.strategies.optimal import assign_optimally
from tests.support.limited_groups import NAMES, keeps_to, random_limits
from tests.support.weighted_groups import level_unit, levels_by_force, weighted_problem

WEIGHED = (*NAMES, "max_weight")


def stated_limits(draw: random.Random, problem: Problem, names: list[str]) -> dict[str, Any]:
    group = Group(
        dict.fromkeys(problem.topics, 3), [Member(name, []) for name in problem.member_ids]
    )
    values: dict[str, Any] = random_limits(draw, [name for name in names if name in NAMES], group)
    if "max_weight" in names:
        weights = weights_of(problem)
        total = float(weights.of_partition.sum()) * weights.weight_unit
        members = draw.choice([*problem.member_ids, "*"])
        values["max_weight"] = [{"members": members, "most": draw.uniform(0.2, 1) * total}]
    return values


def kept_to(problem: Problem, every: IntArray, goals: Goals, stated: dict[str, Any]) -> IntArray:
    """Which assignments keep to the limits."""
    limits = limits_of(problem, goals.limits)
    result = []
    for target in every:
        fits = keeps_to(problem, target, stated)
        if limits is not None and limits.most_weight is not None:
            fits &= bool((weights_of(problem).loads(target) <= limits.most_weight).all())
        result.append(fits)
    return np.array(result, np.bool_)


@pytest.mark.parametrize("part", range(4))
def test_plans_keep_to_limits_and_bounds_hold_for_all_that_do(part: int) -> None:
    """Alone and together: what is told is never better than there is, clashes are real."""
    best = plans = clashes = missed = 0
    for seed in range(25 * part, 25 * part + 25):
        problem, draw = weighted_problem(seed, partitions=6), random.Random(seed)
        every, level, moves = levels_by_force(problem)
        for names in ([draw.choice(WEIGHED)], draw.sample(WEIGHED, 2), list(WEIGHED)):
            values = stated_limits(draw, problem, names)
            budget = draw.choice([None, None, 1])
            goals = Goals(balance="weight", tolerance=0.0, max_moves=budget, **values)
            keep = kept_to(problem, every, goals, values)
            try:
                answer = assign_optimally(problem, goals)
            except LimitsError as error:
                is_clash = "can't be met" in str(error)
                clashes += is_clash
                missed += not is_clash and bool(keep.any())
                assert not (is_clash and keep.any()), (seed, values)
                continue
            verdict = check_assignment(problem, answer.target, answer.certificate, goals)
            assert verdict.faults == [], (seed, values)
            assert verdict.weight is not None
            assert verdict.certificate_fault is None
            assert kept_to(problem, answer.target[None], goals, values).all(), (seed, values)
            reached = weights_of(problem).level_of(answer.target)
            allowed = keep & (moves <= max(budget or 0, moves[keep].min()))
            least = level[allowed if budget is not None else keep].min()
            bound = round(verdict.weight.weight_bound / level_unit(problem))
            assert bound <= level[keep].min() <= reached
            assert verdict.weight.moves_bound <= moves[keep & (level <= reached)].min()
            assert budget is None or verdict.weight.moves <= max(budget, moves[keep].min())
            plans += 1
            best += reached <= least * 1.001
    assert clashes > 5
    assert missed <= 1
    assert best >= 0.85 * plans


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
