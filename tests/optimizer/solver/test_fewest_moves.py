"""The fewest moves against all assignments there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from optimizer.model.classes import classes_of
from optimizer.model.measures import changes_of, member_loads
from optimizer.model.numbering import problem_of
from optimizer.model.problem import NOBODY, Problem
from optimizer.solver import fewest_moves, solve
from tests.support.groups import problem, random_problem, tiny_group

TINY_GROUPS = 300


def by_force(group: Problem, lowest: int, highest: int) -> int | None:
    """Of all assignments whose loads are in bounds the fewest moves of any."""
    classes = classes_of(group)
    choices = [
        classes.members_of(c).tolist() if c >= 0 else [NOBODY]
        for c in classes.of_partition.tolist()
    ]
    moves = []
    for selection in product(*choices):
        target = np.array(selection, np.int64)
        loads = member_loads(group, target)
        if loads.min(initial=highest) >= lowest and loads.max(initial=lowest) <= highest:
            moves.append(changes_of(group, target)[0])
    return min(moves, default=None)


@pytest.mark.parametrize("seed", range(0, TINY_GROUPS, 50))
def test_it_is_the_fewest_of_all_assignments(seed: int) -> None:
    for each in range(seed, seed + 50):
        group = problem_of(tiny_group(each)).problem
        if not group.member_ids:
            continue
        for lowest, highest in ((0, 6), (0, 2), (1, 2), (1, 3), (2, 2)):
            expected = by_force(group, lowest, highest)
            assert fewest_moves(group, lowest, highest) == expected, (each, lowest, highest)


def test_tiny_groups_have_bounds_that_cost_moves_and_some_that_none_can_meet() -> None:
    groups = [problem_of(tiny_group(seed)).problem for seed in range(TINY_GROUPS)]
    result = [fewest_moves(group, 1, 2) for group in groups if group.member_ids]
    assert None in result
    assert any(result)


@pytest.mark.parametrize("seed", range(40))
def test_the_optimum_moves_the_fewest_within_its_own_loads(seed: int) -> None:
    group = random_problem(seed)
    target = solve(group).target
    loads = member_loads(group, target)
    fewest = fewest_moves(group, int(loads.min()), int(loads.max()))
    assert fewest is not None
    assert fewest <= changes_of(group, target)[0]


def test_of_one_class_what_is_too_much_moves_and_what_is_too_little_is_given() -> None:
    group = problem([6], [[0], [0], [0]], np.array([0, 0, 0, 0, 1, 1]))
    assert fewest_moves(group, 0, 4) == 0
    assert fewest_moves(group, 0, 3) == 1
    assert fewest_moves(group, 1, 4) == 1
    assert fewest_moves(group, 2, 2) == 2
    assert fewest_moves(group, 3, 4) is None
