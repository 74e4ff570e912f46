"""Plans that may move so many partitions, and the curve, against all assignments there are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.classes import classes_of
from optimizer.model.measures import changes_of, member_loads
from optimizer.model.numbering import problem_of
from optimizer.model.problem import NOBODY, Problem
from optimizer.solver import solve
from optimizer.solver.budget import loads_by_moves
from tests.support.groups import random_problem, tiny_group
from tests.support.rack_groups import random_rack_problem

Outcome = tuple[int, int, int]
"""Largest load, moves, Σ load²."""


def outcome(group: Problem, target: np.ndarray) -> Outcome:
    loads = member_loads(group, target)
    return int(loads.max(initial=0)), changes_of(group, target)[0], int(loads @ loads)


def every_outcome(group: Problem) -> set[Outcome]:
    """What any assignment comes to."""
    classes = classes_of(group)
    choices = [
        classes.members_of(c).tolist() if c >= 0 else [NOBODY]
        for c in classes.of_partition.tolist()
    ]
    return {
        outcome(group, np.array(selection, np.int64)) for selection in itertools.product(*choices)
    }


@pytest.mark.parametrize("seed", range(0, 1000, 100))
def test_budgets_equal_brute_force_at_every_number_of_moves(seed: int) -> None:
    """Where the optimum keeps to the budget it is the plan; else the largest load counts first."""
    for each in range(seed, seed + 100):
        group = problem_of(tiny_group(each)).problem
        outcomes = every_outcome(group)
        squares, moves, load = min((squares, moves, load) for load, moves, squares in outcomes)
        for budget in range(group.partition_count + 1):
            best = min(items for items in outcomes if items[1] <= budget)
            if moves <= budget:
                best = load, moves, squares
            answer = solve(group, Goals(max_moves=budget))
            assert outcome(group, answer.target) == best, f"seed {each}, {budget} moves"
            assert (answer.reason is None) == (answer.rival is None) == (moves <= budget)


@pytest.mark.parametrize("seed", range(0, 300, 100))
def test_the_curve_equals_brute_force_at_every_load(seed: int) -> None:
    for each in range(seed, seed + 100):
        group = problem_of(tiny_group(each)).problem
        outcomes = every_outcome(group)
        lowest = min(load for load, _, _ in outcomes)
        unmoved = min(load for load, moves, _ in outcomes if not moves)
        expected = [
            (load, min(moves for largest, moves, _ in outcomes if largest <= load))
            for load in range(lowest, unmoved + 1)
        ]
        assert loads_by_moves(group, lowest).points() == expected, f"seed {each}"


def test_points_between_two_flows_are_those_of_a_flow_each() -> None:
    for seed in range(60):
        group = random_problem(seed)
        lowest = int(member_loads(group, solve(group).target).max(initial=0))
        points = loads_by_moves(group, lowest).points()
        assert points == [(load, loads_by_moves(group, lowest).moves(load)) for load, _ in points]


VARIANTS = [
    Goals(max_moves=budget, rack=rack, levels=levels)
    for budget in (0, 1, 3, 9, 0.05, 0.3)
    for rack, levels in ((None, ()), ("any", ("racks", "moves")), ("leader", ("moves", "racks")))
]


@pytest.mark.parametrize("seed", range(0, 60, 20))
def test_every_plan_within_a_budget_is_proven_and_its_certificate_shows_it(seed: int) -> None:
    limited = 0
    for each in range(seed, seed + 20):
        group = random_rack_problem(each)
        for goals in VARIANTS:
            answer = solve(group, goals)
            first = check_assignment(group, answer.target, goals=goals, rival=answer.rival)
            again = check_assignment(group, answer.target, first.certificate, goals)
            for verdict in (first, again):
                assert verdict.balance_optimal
                assert verdict.moves_optimal
                assert verdict.certificate == first.certificate
                assert verdict.certificate_fault is None
                assert verdict.measures is not None
                assert verdict.measures.moves <= (goals.budget(verdict.measures.partitions) or 0)
            limited += answer.rival is not None
    assert limited > 20


def lopsided() -> Group:
    """a owns twelve, b four, c has joined: four moves make it 8, 4 and 4; six make it even."""
    owned = [("t", p) for p in range(16)]
    return Group(
        {"t": 16},
        [Member("a", ["t"], owned[:12]), Member("b", ["t"], owned[12:]), Member("c", ["t"])],
    )


def test_what_more_moves_would_do_is_told() -> None:
    plan = assign(lopsided(), goals=Goals(max_moves=4))
    assert (plan.loads, plan.moves) == ({"a": 8, "b": 4, "c": 4}, 4)
    assert plan.notes == ["6 moves instead of 4 would make the largest load 6 instead of 8"]
    assert plan.check().balance_optimal
    assert assign(lopsided(), goals=Goals(max_moves=6)).notes == []
    assert assign(lopsided(), goals=Goals(max_moves=0.25)).loads == plan.loads


def test_min_gain_goes_on_working() -> None:
    """Four moves put four right: one for each is worth it, more than one isn't."""
    assert assign(lopsided(), goals=Goals(max_moves=4, min_gain=1)).moves == 4
    stays = assign(lopsided(), goals=Goals(max_moves=4, min_gain=1.5))
    assert (stays.moves, stays.notes) == (0, ["not worth 4 moves"])
