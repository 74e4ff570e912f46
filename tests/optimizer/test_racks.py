"""Racks: what is read where, and what odd facts mean."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.checker import check_assignment
from optimizer.solver import solve
from optimizer.solver.kinds import cost_classes, costs_of, kinds_of
from tests.support.groups import problem, random_problem, tiny_group


def test_with_many_racks_nobody_lists_every_reader_of_every_partition() -> None:
    """Of 300 racks: the plan and its check need no table of all kinds and members."""
    draw = np.random.default_rng(1)
    racks = [f"r{r:03d}" for r in range(300)]
    near = [tuple(draw.choice(racks, 2, replace=False).tolist()) for _ in range(3000)]
    group = problem([3000], [[0]] * 600, draw.integers(0, 600, 3000))
    group = replace(group, racks=[racks[m % 300] for m in range(600)], replica_racks=near)
    goals = Goals(rack="any")
    kinds = kinds_of(group, goals)
    cut = cost_classes(kinds, costs_of(group, goals), 600)
    assert cut is not None
    assert len(cut.free[0]) + len(kinds.members) < 3000 * 600 / 100
    verdict = check_assignment(group, solve(group, goals).target, goals=goals)
    assert (verdict.racks_optimal, verdict.moves_optimal) == (True, True)
    assert verdict.reads and verdict.reads.local > 2950


def test_goals_without_racks_and_groups_without_rack_facts_are_planned_as_ever() -> None:
    for seed in range(50):
        group = random_problem(seed)
        plan = solve(group).target
        assert np.array_equal(solve(group, Goals(rack="any")).target, plan)
        assert np.array_equal(solve(random_problem(seed, racks=True)).target, plan)
        assert assign(tiny_group(seed), goals=Goals(rack="leader")) == assign(tiny_group(seed))


def two(rack_a: str | None, rack_b: str | None, *leaders: str | None) -> Group:
    """A and B read one topic, whose first half belongs to B and second half to A."""
    half = len(leaders) // 2
    claims = [("t", p) for p in range(len(leaders))]
    return Group(
        topics={"t": len(leaders)},
        members=[
            Member("A", ["t"], owned=claims[half:], rack=rack_a),
            Member("B", ["t"], owned=claims[:half], rack=rack_b),
        ],
        leader_racks={"t": leaders},
        replica_racks={"t": [(leader,) if leader else () for leader in leaders]},
    )


LEADER = Goals(rack="leader")

APART = ("x", "x", "y", "y")
"""Leaders of four partitions, each in the rack of the member that doesn't own it."""

CASES: dict[str, tuple[Group, Goals, dict[str, Any]]] = {
    "partitions change hands at equal balance": (
        two("x", "y", *APART),
        LEADER,
        {"loads": {"A": 2, "B": 2}, "reads_found": (0, 4), "reads": (4, 0), "moves": 4},
    ),
    "moves first: they stay": (
        two("x", "y", *APART),
        Goals(rack="leader", levels=("moves", "racks")),
        {"reads_found": (0, 4), "reads": (0, 4), "moves": 0},
    ),
    "a rack spelled in two ways is two racks, as Kafka compares them": (
        two("eu-1A", "y", "eu-1a ", "eu-1a ", "y", "y"),
        LEADER,
        {"reads": (2, 2), "notes": ["racks 'eu-1A', 'eu-1a ' differ for Kafka"]},
    ),
    "no member's rack": (two(None, None, "x", "y"), LEADER, {"reads": None}),
    "no partition's rack": (
        replace(two("x", "y", "x", "y"), leader_racks={}, replica_racks={}),
        LEADER,
        {"reads": None},
    ),
    "no rack is asked for": (two("x", "y", "x", "y"), Goals(), {"reads": None}),
}


@pytest.mark.parametrize(("group", "goals", "expected"), CASES.values(), ids=CASES)
def test_what_is_read_within_racks(group: Group, goals: Goals, expected: dict[str, Any]) -> None:
    plan = assign(group, goals=goals)
    assert {name: getattr(plan, name) for name in expected} == expected
