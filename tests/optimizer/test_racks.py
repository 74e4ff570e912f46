"""Racks and hosts: what is read where, what no host may have, and what odd facts mean."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model import hosts_of, on_hosts, problem_of, weights_of
from optimizer.solver import solve
from optimizer.solver.kinds import cost_classes, costs_of, kinds_of
from tests.support.groups import problem, random_problem, tiny_group
from tests.support.tiers import tiered


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


def fresh_group(seed: int) -> Group:
    """One or two topics that nobody owns, read by members on two to five hosts of unequal sizes."""
    draw = random.Random(seed)
    topics = {f"t{t}": draw.randint(1, 30) for t in range(draw.randint(1, 2))}
    hosts = draw.randint(2, 5)
    members = [
        Member(f"m{m:02d}", [*topics], host=f"/10.0.0.{draw.randrange(hosts)}")
        for m in range(draw.randint(hosts + 1, 4 * hosts))
    ]
    return Group(topics, members)


def with_a_new_host(group: Group) -> Group:
    """The planned group when two members on a host of their own have joined."""
    owned = assign(group).assignment
    before = [replace(member, owned=owned[member.member_id]) for member in group.members]
    joined = [Member(name, [*group.topics], host="new") for name in ("a-new", "z-new")]
    return replace(group, members=[*before, *joined])


def test_a_pattern_of_client_ids_tells_which_members_share_a_host() -> None:
    names = ["pod-1-thread-1", "pod-1-thread-2", "pod-2-thread-1", "pod-2-thread-2"]
    group = Group({"t": 6}, [Member(f"m{m}", ["t"], client_id=n) for m, n in enumerate(names)])
    goals = Goals(host="{host}-thread-*")
    plan = assign(group, goals=goals)
    assert plan.loads["m0"] + plan.loads["m1"] == 3
    assert plan.check().hosts_optimal
    assert assign(group).check().hosts_optimal is None
    assert on_hosts(problem_of(group).problem, goals.host).hosts == ["pod-1"] * 2 + ["pod-2"] * 2


def test_one_host_for_all_or_for_each_is_nothing_to_look_at() -> None:
    for hosts in (["a"] * 4, ["a", "b", "c", "d"], [None] * 4, ["", None, "/", "a"]):
        members = [Member(f"m{m}", ["t"], host=host) for m, host in enumerate(hosts)]
        verdict = assign(Group({"t": 6}, members)).check()
        assert (verdict.hosts_optimal, verdict.balance_optimal) == (None, True)


def test_what_a_host_may_not_have_is_a_fault_and_a_clash_is_named() -> None:
    members = [Member(f"m{m}", ["t"], host=["/x", "y"][m % 2]) for m in range(4)]
    group = Group({"t": 8}, members)
    plan = assign(group, goals=Goals(max_per_host=5))  # type: ignore[arg-type]
    faults = check_assignment(plan.problem, plan.target, goals=Goals(max_per_host=3)).faults  # type: ignore[arg-type]
    assert faults[0] == "4 partitions are given to the host of m0, and its limits allow 3"
    with pytest.raises(LimitsError, match="at most 3 partitions on each host; 8 partitions of t"):
        assign(group, goals=Goals(max_per_host=3))  # type: ignore[arg-type]


@pytest.mark.parametrize("start", tiered(range(0, 60, 20), 1))
def test_by_weight_hosts_get_more_even_at_the_same_largest_load_and_moves(start: int) -> None:
    better = 0
    for seed in range(start, start + 20):
        group, draw = fresh_group(seed), random.Random(seed)
        weights = {
            t: [draw.lognormvariate(0, 1) for _ in range(n)] for t, n in group.topics.items()
        }
        if seed % 2:
            group = with_a_new_host(group)
        group = replace(group, weights=weights)
        blind = assign(group, goals=Goals(balance="weight"))
        plan = assign(group, goals=Goals(balance="weight", levels=("hosts",)))
        assert plan.problem and plan.target is not None and blind.target is not None
        weighed, hosts = weights_of(plan.problem), hosts_of(plan.problem)
        if hosts is None:
            continue
        members = hosts.loads(np.ones(len(group.members)))
        before, after = (
            float((hosts.loads(weighed.loads(of)).astype(float) ** 2 / members).sum())
            for of in (blind.target, plan.target)
        )
        verdict = plan.check()
        assert (verdict.faults, plan.moves) == ([], blind.moves), f"seed {seed}"
        assert verdict.balance_optimal == blind.check().balance_optimal, f"seed {seed}"
        assert weighed.level_of(plan.target) <= weighed.level_of(blind.target) * 1.01
        assert after <= before * (1 + 1e-9), f"seed {seed}"
        better += after < before * 0.999
    assert better > 5
