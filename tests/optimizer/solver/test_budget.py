"""Plans that may move only some partitions, and the curve of loads by moves."""

import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.checker import check_assignment
from optimizer.model import member_loads
from optimizer.solver import solve
from optimizer.solver.budget import loads_by_moves
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import random_problem, tiny_problem
from tests.support.tiers import tiered


@pytest.mark.parametrize("start", tiered(range(0, 300, 50), 2))
def test_the_curve_equals_brute_force_at_every_load(start: int) -> None:
    for seed in range(start, start + 50):
        group = tiny_problem(seed)
        facts = facts_of_problem(group)
        every = facts.every()
        largest, moves = facts.costs(every, "largest"), facts.costs(every, "moves")
        lowest, unmoved = int(largest.min()), int(largest[moves == 0].min())
        expected = [(n, moves[largest <= n].min()) for n in range(lowest, unmoved + 1)]
        assert loads_by_moves(group, lowest).points() == expected, f"seed {seed}"


def test_points_between_two_flows_are_those_of_a_flow_each() -> None:
    for seed in range(30):
        group = random_problem(seed)
        lowest = int(member_loads(group, solve(group).target).max(initial=0))
        points = loads_by_moves(group, lowest).points()
        assert points == [(load, loads_by_moves(group, lowest).moves(load)) for load, _ in points]


VARIANTS = [
    Goals(max_moves=budget, rack=rack, levels=levels)
    for budget in (0, 1, 3, 9, 0.05, 0.3)
    for rack, levels in ((None, ()), ("any", ("racks", "moves")), ("leader", ("moves", "racks")))
]


@pytest.mark.parametrize("start", tiered(range(0, 60, 5), 1))
def test_every_plan_within_a_budget_is_proven_and_its_certificate_shows_it(start: int) -> None:
    limited = 0
    for seed in range(start, start + 5):
        group = random_problem(seed, racks=True)
        for goals in VARIANTS:
            answer = solve(group, goals)
            first = check_assignment(group, answer.target, goals=goals, rival=answer.rival)
            again = check_assignment(group, answer.target, first.certificate, goals)
            assert again == first
            assert (first.balance_optimal, first.moves_optimal) == (True, True)
            assert first.certificate_fault is None
            assert first.measures is not None
            assert first.measures.moves <= (goals.budget(first.measures.partitions) or 0)
            limited += answer.rival is not None
    assert limited > 5


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
