from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.model import NOBODY, weights_of
from optimizer.strategies.optimal import assign_optimally
from tests.support.weighted_groups import level_unit, levels_by_force, weighted_problem

EXACT = Goals(balance="weight", tolerance=0.0)


@pytest.mark.parametrize("part", range(4))
def test_no_bound_is_above_the_optimum_and_every_plan_is_sound(part: int) -> None:
    """By force: the shown bound, the plan's level, and the moves that any plan needs."""
    for seed in range(25 * part, 25 * part + 25):
        problem = weighted_problem(seed)
        _, level, moves = levels_by_force(problem)
        for goals in (EXACT, Goals(balance="weight", tolerance=0.1, effort="quick")):
            answer = assign_optimally(problem, goals)
            verdict = check_assignment(problem, answer.target, answer.certificate, goals)
            assert verdict.faults == []
            assert verdict.weight is not None
            assert verdict.certificate_fault is None
            unit = level_unit(problem)
            bound = round(verdict.weight.weight_bound / unit)
            number = weights_of(problem).level_of(answer.target)
            assert bound <= level.min() <= number
            as_low = level <= max(number, int(bound * (1 + goals.tolerance)))
            assert verdict.weight.moves_bound <= moves[as_low].min()


@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_every_plan_of_a_small_group_is_the_best_and_proven(tolerance: float) -> None:
    """All assignments are tried where nothing simpler proves it, and the check tries them too."""
    goals, kinds = Goals(balance="weight", tolerance=tolerance, effort="quick"), Counter[str]()
    for seed in range(200):
        problem = weighted_problem(seed)
        _, level, _ = levels_by_force(problem)
        answer = assign_optimally(problem, goals)
        verdict = check_assignment(problem, answer.target, answer.certificate, goals)
        assert verdict.certificate_fault is None
        assert verdict.weight is not None
        assert verdict.weight.in_tolerance
        number = weights_of(problem).level_of(answer.target)
        assert number <= level.min() + int(level.min() * tolerance)
        kinds[verdict.weight.bound_kind] += 1
    assert kinds["searched"] > 3


def test_a_search_takes_the_fewest_moves_of_all() -> None:
    """3 members, 8 partitions that can't be dealt evenly: of 6,561 assignments the nearest."""
    problem = replace(
        weighted_problem(0),
        member_ids=["a", "b", "c"],
        topics=["t"],
        topic_offsets=np.array([0, 8]),
        member_subscription=np.zeros(3, np.int64),
        subscriptions=[np.array([0])],
        owner=np.array([0, 1, 1, 1, 1, 1, 1, 2]),
        weights=np.array([24.0, 20.0, 14.0, 12.0, 11.0, 11.0, 2.0, 1.0]),
        capacities=None,
    )
    every, level, moves = levels_by_force(problem)
    answer = assign_optimally(problem, EXACT)
    result = (every == answer.target).all(axis=1).argmax()
    assert level[result] == level.min()
    assert moves[result] == moves[level == level.min()].min()
    verdict = check_assignment(problem, answer.target, answer.certificate, EXACT)
    assert verdict.weight is not None
    assert verdict.weight.bound_kind == "searched"
    assert "of all assignments none is below 34 a unit of capacity" in verdict.weight.shown


def test_the_facts_decide_and_not_their_order() -> None:
    """Members and topics in any order of the rows, and the same bytes each time."""
    for seed in range(40):
        problem = weighted_problem(seed, partitions=40, members=8)
        first = assign_optimally(problem, EXACT)
        again = assign_optimally(weighted_problem(seed, partitions=40, members=8), EXACT)
        assert np.array_equal(first.target, again.target)
        assert first.certificate == again.certificate


def test_planning_its_own_result_moves_nothing() -> None:
    goals = Goals(balance="weight")
    for seed in range(60):
        problem = weighted_problem(seed, partitions=30, members=6)
        target = assign_optimally(problem, goals).target
        planned = replace(problem, owner=np.where(target == NOBODY, NOBODY, target))
        again = assign_optimally(planned, goals)
        assert np.array_equal(again.target, target), seed
