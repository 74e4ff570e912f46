"""Racks: exact at their level, never at the cost of balance, and defined for odd facts."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from optimizer import Goals, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.numbering import problem_of
from optimizer.model.problem import NOBODY
from optimizer.model.racks import rack_table_of
from optimizer.solver.costs import costs_of
from optimizer.solver.kinds import cost_classes, kinds_of
from optimizer.solver.solve import solve
from tests.support.groups import problem, random_problem, tiny_group
from tests.support.limited_groups import NAMES, random_limits
from tests.support.rack_groups import (
    VARIANTS,
    best_by_force,
    best_by_network,
    outcome,
    racks_of_group,
    racks_of_problem,
    random_rack_problem,
    tiny_rack_group,
)

TINY_GROUPS = 2000

LEVELS = (("racks", "moves"), ("moves", "racks"))


@pytest.mark.parametrize("seed", range(0, TINY_GROUPS, 200))
def test_every_level_equals_brute_force(seed: int) -> None:
    for each in range(seed, seed + 200):
        goals = VARIANTS[each % len(VARIANTS)]
        group = tiny_rack_group(each)
        best = best_by_force(racks_of_group(group, goals), goals)
        problem = problem_of(group).problem
        assert outcome(problem, solve(problem, goals).target, goals) == best, f"seed {each}"


@pytest.mark.parametrize("seed", range(0, 300, 50))
def test_every_level_equals_a_network_of_single_partitions(seed: int) -> None:
    for each in range(seed, seed + 50):
        goals = VARIANTS[each % len(VARIANTS)]
        problem = random_rack_problem(each)
        reached = outcome(problem, solve(problem, goals).target, goals)
        assert reached == best_by_network(racks_of_problem(problem, goals), goals), f"seed {each}"


@pytest.mark.parametrize("seed", range(0, 300, 100))
def test_by_way_of_hubs_the_optimum_and_its_proof_are_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hubs are for many racks, and right for few: forced on tiny groups, under limits as well."""
    monkeypatch.setattr("optimizer.model.spread.QUICK", -1)
    draw, through_hubs = random.Random(seed), 0
    for each in range(seed, seed + 100):
        group = tiny_rack_group(each)
        problem, levels = problem_of(group).problem, draw.choice(LEVELS)
        goals = Goals(rack=draw.choice(["leader", "any"]), levels=levels)
        if each % 3 == 1:
            goals = replace(goals, max_moves=draw.randint(0, 3))
        if each % 3 == 2 and group.members and group.topics:
            values = random_limits(draw, draw.sample(NAMES, 2), group)
            goals = replace(goals, **values)
        try:
            direct = solve(problem, goals)
        except LimitsError:
            continue
        plain = check_assignment(problem, direct.target, goals=goals, rival=direct.rival)
        with monkeypatch.context() as forced:
            forced.setattr("optimizer.solver.kinds.FEWER", 0)
            forced.setattr("optimizer.checker.hubs.FEWER", 0)
            result = solve(problem, goals)
            judged = check_assignment(problem, result.target, goals=goals, rival=result.rival)
            other = check_assignment(problem, direct.target, goals=goals, rival=direct.rival)
            again = check_assignment(problem, result.target, judged.certificate, goals)
            worse = check_assignment(problem, direct.target[::-1].copy(), goals=goals)
        unforced = check_assignment(problem, direct.target[::-1].copy(), goals=goals)
        least = outcome(problem, direct.target, goals)[:-1]
        assert outcome(problem, result.target, goals)[:-1] == least, f"seed {each}"
        assert judged[2:4] == other[2:4] == plain[2:4], f"seed {each}"
        assert judged.racks_optimal == other.racks_optimal == plain.racks_optimal
        assert (worse.faults, worse.racks_optimal) == (unforced.faults, unforced.racks_optimal)
        assert again.certificate_fault is None or judged.certificate is None
        through_hubs += plain.racks_optimal is True
    assert through_hubs > 20


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


def test_racks_never_cost_balance_and_their_own_result_stays() -> None:
    local = 0
    for seed in range(100):
        goals = VARIANTS[seed % len(VARIANTS)]
        problem = random_rack_problem(seed)
        without, target = solve(problem).target, solve(problem, goals).target
        loads = [np.sort(np.bincount(items[items >= 0])) for items in (without, target)]
        assert (loads[0] @ loads[0]) == (loads[1] @ loads[1])
        near = rack_table_of(problem, goals.rack or "")
        local += near is not None and near.reads(target).local > near.reads(without).local
        assert np.array_equal(solve(replace(problem, owner=target), goals).target, target)
    assert local > 25


def test_reads_are_counted_as_partition_by_partition() -> None:
    for seed in range(60):
        goals = VARIANTS[seed % len(VARIANTS)]
        problem, facts = random_rack_problem(seed), None
        near, facts = rack_table_of(problem, goals.rack or ""), racks_of_problem(problem, goals)
        target = solve(problem, goals).target
        placed = [(p, m) for p, m in enumerate(target.tolist()) if m != NOBODY]
        local, remote = (sum(t[p][m] for p, m in placed) for t in (facts.local, facts.remote))
        assert (near.reads(target) if near else (0, 0)) == (local, remote)


def test_goals_without_racks_and_groups_without_rack_facts_are_planned_as_ever() -> None:
    for seed in range(50):
        problem = random_problem(seed)
        plan = solve(problem).target
        assert np.array_equal(solve(problem, Goals(rack="any")).target, plan)
        assert np.array_equal(solve(random_rack_problem(seed)).target, plan)
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


def test_partitions_change_hands_at_equal_balance_to_be_read_within_the_rack() -> None:
    plan = assign(two("x", "y", "x", "x", "y", "y"), goals=LEADER)
    assert plan.assignment == {"A": [("t", 0), ("t", 1)], "B": [("t", 2), ("t", 3)]}
    assert (plan.reads_found, plan.reads, plan.moves) == ((0, 4), (4, 0), 4)


def test_moves_first_leaves_them_where_they_are() -> None:
    goals = Goals(rack="leader", levels=("moves", "racks"))
    plan = assign(two("x", "y", "x", "x", "y", "y"), goals=goals)
    assert (plan.reads_found, plan.reads, plan.moves) == ((0, 4), (0, 4), 0)


def test_follower_fetching_reads_from_any_replica() -> None:
    group = replace(two("x", "y", "x", "y"), replica_racks={"t": [("x", "y"), ("z", "x", "y")]})
    assert assign(group, goals=Goals(rack="any")).moves == 0
    assert assign(group, goals=LEADER).moves == 2


def test_a_rack_spelled_in_two_ways_is_two_racks_and_noted() -> None:
    """Kafka compares racks exactly, so reads between them cross racks."""
    plan = assign(two("eu-1A", "y", "eu-1a", "eu-1a", "y", "y"), goals=LEADER)
    assert plan.reads == (2, 2)
    assert plan.notes == ["racks 'eu-1A', 'eu-1a' differ for Kafka"]
    spaced = assign(two("a", "b", "a ", "b"))
    assert spaced.notes == ["racks 'a', 'a ' differ for Kafka"]


def test_an_empty_rack_is_no_rack() -> None:
    for nothing in ("", None):
        plan = assign(two(nothing, "y", "x", "x", "y", "y"), goals=LEADER)
        assert plan.reads == (2, 0), "A's two reads are nowhere: only B's rack is known"
        blank = assign(two("x", "y", nothing, nothing, "y", "y"), goals=LEADER)
        assert (blank.reads, blank.moves) == ((2, 0), 4)


def test_a_rack_that_no_member_has_is_remote_to_all_and_moves_nothing() -> None:
    plan = assign(two("x", "y", "z", "z", "z", "z"), goals=LEADER)
    assert (plan.reads, plan.moves) == ((0, 4), 0)


def test_without_racks_of_members_or_partitions_nothing_is_counted() -> None:
    assert assign(two(None, None, "x", "y"), goals=LEADER).reads is None
    bare = replace(two("x", "y", "x", "y"), leader_racks={}, replica_racks={})
    assert assign(bare, goals=LEADER).reads is None
    assert assign(two("x", "y", "x", "y")).reads is None, "no rack is asked for"


def test_half_of_the_members_without_racks_take_what_is_far_from_the_others() -> None:
    """Who names no rack reads nothing across racks, so costs nothing there."""
    group = Group(
        topics={"t": 4},
        members=[Member("A", ["t"], rack="x"), Member("B", ["t"])],
        leader_racks={"t": ["y", "x", "y", "x"]},
    )
    plan = assign(group, goals=LEADER)
    assert plan.assignment == {"A": [("t", 1), ("t", 3)], "B": [("t", 0), ("t", 2)]}
    assert plan.reads == (2, 0)


def test_half_of_the_partitions_without_racks_go_anywhere() -> None:
    group = Group(
        topics={"t": 2, "u": 2},
        members=[Member("A", ["t", "u"], rack="x"), Member("B", ["t", "u"], rack="y")],
        leader_racks={"t": ["y", "x"]},
    )
    plan = assign(group, goals=LEADER)
    assert plan.loads == {"A": 2, "B": 2}
    assert plan.reads == (2, 0)
