from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.model import NOBODY, weights_of
from optimizer.strategies.optimal import assign_optimally
from tests.optimizer.weighted_groups import levels_by_force, weighted_problem

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
            unit = weights_of(problem).unit
            bound = round(verdict.weight.weight_bound / unit)
            found = weights_of(problem).level_of(answer.target)
            assert bound <= level.min() <= found
            as_low = level <= max(found, int(bound * (1 + goals.tolerance)))
            assert verdict.weight.moves_bound <= moves[as_low].min()


def test_most_plans_of_small_groups_are_the_best_there_is() -> None:
    best = 0
    for seed in range(150):
        problem = weighted_problem(seed)
        found = weights_of(problem).level_of(assign_optimally(problem, EXACT).target)
        best += found <= levels_by_force(problem)[1].min() * 1.001
    assert best >= 148


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
