"""Hosts: exact at their level, never at the cost of balance, and proven."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model.hosts import hosts_of, on_hosts
from optimizer.model.numbering import problem_of
from optimizer.model.patterns import matches
from optimizer.model.weights import weights_of
from optimizer.solver.solve import solve
from tests.optimizer import oracles
from tests.optimizer.oracles import Facts, best_by_network, facts_of_problem
from tests.support.host_groups import VARIANTS, random_host_problem, tiny_host_group
from tests.support.limited_groups import every_assignment
from tests.support.rack_groups import (
    best_by_force,
    best_by_network as best_of_racks,
    outcome,
    racks_of_group,
    racks_of_problem,
)

TINY_GROUPS = int(os.environ.get("HOST_GROUPS", "400"))
"""2,000 take a minute: HOST_GROUPS=2000 bin/test tests/optimizer/test_hosts.py"""


@pytest.mark.parametrize("seed", range(0, TINY_GROUPS, 100))
def test_every_order_of_levels_equals_brute_force_and_is_proven(seed: int) -> None:
    for each in range(seed, seed + 100):
        goals = VARIANTS[each % len(VARIANTS)]
        group = tiny_host_group(each)
        best = best_by_force(racks_of_group(group, goals), goals)
        problem = problem_of(group).problem
        target = solve(problem, goals).target
        assert outcome(problem, target, goals) == best, f"seed {each}"
        verdict = check_assignment(problem, target, goals=goals)
        assert verdict.witness is None, f"seed {each}: {verdict.witness}"
        assert verdict.hosts_optimal in (True, None), f"seed {each}"
        again = check_assignment(problem, target, verdict.certificate, goals)
        assert (again.certificate_fault, again[2:7]) == (None, verdict[2:7]), f"seed {each}"


@pytest.mark.parametrize("seed", range(0, 200, 100))
def test_by_way_of_hubs_hosts_are_as_even_and_as_proven(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hubs are for many racks, and right for few; groups in which spread is looked at have none."""
    monkeypatch.setattr("optimizer.model.spread.QUICK", -1)
    monkeypatch.setattr("optimizer.solver.kinds.FEWER", 0)
    monkeypatch.setattr("optimizer.checker.hubs.FEWER", 0)
    proven = 0
    for each in range(seed, seed + 100):
        goals = Goals(rack="any", levels=VARIANTS[each % len(VARIANTS)].levels[:2])
        problem = problem_of(tiny_host_group(each)).problem
        target = solve(problem, goals).target
        order = [level for level in goals.order if level != "spread" or "spread" in goals.levels]
        racks = racks_of_problem(problem, goals)
        least = oracles.best_by_force(racks.facts, order, racks.remote)
        members = [m if m >= 0 else None for m in target.tolist()]
        reached = racks.facts.reached(members, order, racks.remote)
        assert reached == least, f"seed {each}"
        verdict = check_assignment(problem, target, goals=goals)
        again = check_assignment(problem, target, verdict.certificate, goals)
        assert (verdict.witness, again.certificate_fault) == (None, None), f"seed {each}"
        proven += verdict.hosts_optimal is True and verdict.racks_optimal is True
    assert proven > 10


@pytest.mark.parametrize("seed", range(0, 300, 100))
def test_every_order_of_levels_equals_a_network_of_single_partitions(seed: int) -> None:
    proven = 0
    for each in range(seed, seed + 100):
        goals = VARIANTS[each % len(VARIANTS)]
        problem = random_host_problem(each)
        target = solve(problem, goals).target
        best = best_of_racks(racks_of_problem(problem, goals), goals)
        assert outcome(problem, target, goals) == best, f"seed {each}"
        verdict = check_assignment(problem, target, goals=goals)
        assert verdict.witness is None, f"seed {each}: {verdict.witness}"
        again = check_assignment(problem, target, verdict.certificate, goals)
        assert again.certificate_fault is None, f"seed {each}"
        proven += verdict.hosts_optimal is True
    assert proven > 40


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


def without_hosts(group: Group) -> Group:
    return replace(group, members=[replace(member, host=None) for member in group.members])


@pytest.mark.parametrize(
    "groups",
    [
        [fresh_group(seed) for seed in range(300)],
        [with_a_new_host(fresh_group(seed)) for seed in range(200)],
    ],
    ids=["fresh", "joined"],
)
def test_no_host_has_more_than_it_must_and_moves_stay_the_same(groups: list[Group]) -> None:
    crowded = 0
    for group in groups:
        plan, blind = assign(group), assign(without_hosts(group))
        assert (plan.sum_squares, plan.moves) == (blind.sum_squares, blind.moves)
        assert plan.problem and plan.target is not None and blind.target is not None
        facts = facts_of_problem(plan.problem)
        least = best_by_network(facts, ("moves", "hosts"), [])[2]
        assert facts.reached(plan.target.tolist(), ["hosts"], [])[1] == least
        crowded += facts.reached(blind.target.tolist(), ["hosts"], [])[1] > least
    assert crowded > 0.3 * len(groups), "what it is good for"


def test_hosts_before_moves_move_what_it_takes() -> None:
    """Four members on two hosts, of which one has both of the loads of two."""
    owned = [[("t", 0), ("t", 1)], [("t", 2), ("t", 3)], [("t", 4)], [("t", 5)]]
    group = Group(
        {"t": 6},
        [Member(f"m{m}", ["t"], owned=claims, host="ab"[m // 2]) for m, claims in enumerate(owned)],
    )
    assert assign(group).moves == 0
    plan = assign(group, goals=Goals(levels=("hosts",)))
    assert (plan.moves, plan.check().hosts_optimal) == (1, True)
    assert sorted(plan.loads.values()) == [1, 1, 2, 2]
    assert plan.loads["m0"] + plan.loads["m1"] == 3
    assert assign(group, goals=Goals(levels=("hosts",), min_gain=2)).moves == 0


def test_a_pattern_of_client_ids_tells_which_members_share_a_host() -> None:
    names = ["pod-1-thread-1", "pod-1-thread-2", "pod-2-thread-1", "pod-2-thread-2"]
    group = Group({"t": 6}, [Member(f"m{m}", ["t"], client_id=n) for m, n in enumerate(names)])
    goals = Goals(host="{host}-thread-*")
    plan = assign(group, goals=goals)
    assert plan.loads["m0"] + plan.loads["m1"] == 3
    assert plan.check().hosts_optimal
    assert assign(group).check().hosts_optimal is None
    assert on_hosts(problem_of(group).problem, goals.host).hosts == ["pod-1"] * 2 + ["pod-2"] * 2


@pytest.mark.parametrize("pattern", ["pod-*", "{host}{host}", 3, ""])
def test_a_pattern_without_a_host_is_refused(pattern: object) -> None:
    with pytest.raises(GoalsError, match=r"with \{host\} once in it"):
        Goals(host=pattern)  # type: ignore[arg-type]


def test_one_host_for_all_or_for_each_is_nothing_to_look_at() -> None:
    for hosts in (["a"] * 4, ["a", "b", "c", "d"], [None] * 4, ["", None, "/", "a"]):
        members = [Member(f"m{m}", ["t"], host=host) for m, host in enumerate(hosts)]
        verdict = assign(Group({"t": 6}, members)).check()
        assert (verdict.hosts_optimal, verdict.balance_optimal) == (None, True)


@pytest.mark.parametrize("seed", range(0, 120, 40))
def test_caps_of_hosts_equal_brute_force_and_are_proven(seed: int) -> None:
    clashes = 0
    for each in range(seed, seed + 40):
        group, draw = tiny_host_group(each), random.Random(each)
        problem, facts = problem_of(group).problem, facts_of_problem(problem_of(group).problem)
        pattern, most = draw.choice(["*", "h?", "h1"]), draw.randint(1, 4)
        cap = {"hosts": pattern, "most": most}
        goals = Goals(max_per_host=[cap], levels=draw.choice(VARIANTS).levels)  # type: ignore[arg-type]

        def keeps_to(target: list[int | None], facts: Facts = facts, cap: Any = cap) -> bool:
            loads = Counter(facts.host[m] for m in target if m is not None)
            capped = [host for host in loads if cap["hosts"] == "*" or matches(cap["hosts"], host)]
            return all(loads[host] <= cap["most"] for host in capped)

        every = [[m if m >= 0 else None for m in of] for of in map(list, every_assignment(problem))]
        keep = [target for target in every if keeps_to(target)]
        if not keep:
            clashes += 1
            with pytest.raises(LimitsError):
                solve(problem, goals)
            continue
        target = solve(problem, goals).target
        reached = facts.reached([m if m >= 0 else None for m in target.tolist()], goals.order, [])
        assert reached == min(facts.reached(of, goals.order, []) for of in keep), f"seed {each}"
        verdict = check_assignment(problem, target, goals=goals)
        assert (verdict.faults, verdict.balance_optimal, verdict.witness) == ([], True, None)
        again = check_assignment(problem, target, verdict.certificate, goals)
        assert again.certificate_fault is None, f"seed {each}"
    assert clashes > 0


def test_what_a_host_may_not_have_is_a_fault_and_a_clash_is_named() -> None:
    members = [Member(f"m{m}", ["t"], host=["/x", "y"][m % 2]) for m in range(4)]
    group = Group({"t": 8}, members)
    plan = assign(group, goals=Goals(max_per_host=5))  # type: ignore[arg-type]
    faults = check_assignment(plan.problem, plan.target, goals=Goals(max_per_host=3)).faults  # type: ignore[arg-type]
    assert faults[0] == "4 partitions are given to the host of m0, and its limits allow 3"
    with pytest.raises(LimitsError, match="at most 3 partitions on each host; 8 partitions of t"):
        assign(group, goals=Goals(max_per_host=3))  # type: ignore[arg-type]


@pytest.mark.parametrize("against", [{"balance": "weight"}, {"copartition": "t*"}])
def test_caps_of_hosts_go_by_count_and_single_partitions(against: dict[str, Any]) -> None:
    with pytest.raises(GoalsError, match="max_per_host doesn't work with"):
        Goals(max_per_host=3, **against)  # type: ignore[arg-type]


def test_a_move_for_hosts_is_explained_by_them() -> None:
    owned = [[("t", 0), ("t", 1)], [("t", 2), ("t", 3)], [("t", 4)], [("t", 5)]]
    members = [
        Member(f"m{m}", ["t"], owned=claims, host=f"/host-{m // 2}")
        for m, claims in enumerate(owned)
    ]
    plan = assign(Group({"t": 6}, members), goals=Goals(levels=("hosts",)))
    (reason,) = plan.explain().moves
    assert (reason.cause, reason.is_even) == ("hosts", True)
    assert str(reason).endswith(
        "at equal balance, hosts get more even: host-0 3 (was 4) and host-1 3 (was 2)"
    )


def test_by_weight_hosts_get_more_even_at_the_same_largest_load_and_moves() -> None:
    better = 0
    for seed in range(60):
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
    assert better > 20


def test_a_certificate_proves_nothing_of_other_hosts_or_owners() -> None:
    """With a member on another host, or other owners, it is refused unless the plan is as good."""
    refused = wrong = 0
    for seed in range(120):
        goals, draw = VARIANTS[seed % len(VARIANTS)], np.random.default_rng(seed)
        problem = random_host_problem(seed)
        target = solve(problem, goals).target
        certificate = check_assignment(problem, target, goals=goals).certificate
        hosts, owner = [*(problem.hosts or ())], problem.owner.copy()
        if seed % 3:
            hosts[draw.integers(len(hosts))] = draw.choice(["h0", "h1", "new"])
        elif len(owner):
            owner = draw.permutation(owner)
        other = replace(problem, hosts=hosts, owner=owner)
        best = best_of_racks(racks_of_problem(other, goals), goals)
        is_best = outcome(other, target, goals) == best
        verdict = check_assignment(other, target, certificate, goals)
        assert (verdict.witness is None) == is_best, f"seed {seed}"
        assert (verdict.certificate is not None) == is_best, f"seed {seed}"
        refused += verdict.certificate_fault is not None
        wrong += not is_best
    assert wrong > 20
    assert refused > 20
