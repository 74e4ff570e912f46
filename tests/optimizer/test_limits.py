"""Limits: what they forbid, whom they tell, and which of them clash."""

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, Group, LimitsError, Member, assign
from optimizer.checker import check_assignment
from optimizer.model import LimitSet, fitting, problem_of
from optimizer.model.limits import stated_limits
from optimizer.solver import frontier_of, solve, weighted_frontier_of
from tests.optimizer.oracles import facts_of_group, facts_of_problem
from tests.support.groups import LIMITS, problem, random_limits, tiny_group
from tests.support.tiers import tiered


@pytest.mark.parametrize("levels", [("racks", "moves"), ("spread", "moves", "racks")])
def test_levels_that_do_not_fit_in_one_cost_are_looked_at_one_after_the_other(
    levels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With racks, every topic and set of racks is a kind: a few thousand are too many."""
    draw, racks = np.random.default_rng(3), ["r0", "r1", "r2"]
    replicas = [(racks[at], racks[at - 1]) for at in draw.integers(0, 3, 120)]
    group = replace(
        problem([3] * 40, [list(range(40))] * 6, draw.integers(0, 6, 120)),
        racks=racks * 2,
        replica_racks=replicas,
        leader_racks=[first for first, _ in replicas],
    )
    goals = Goals(rack="any", levels=levels, max_per_topic=1)  # type: ignore[arg-type]
    together = solve(group, goals).target
    monkeypatch.setattr("optimizer.flow.or_tools.MAX_NUMBER", 4 * 10**8)
    apart = solve(group, goals).target
    verdict = check_assignment(group, apart, goals=goals)
    assert (verdict.balance_optimal, verdict.racks_optimal, verdict.moves_optimal) == (True,) * 3
    facts = facts_of_problem(group)
    assert facts.reached(apart)[:2] == facts.reached(together)[:2]
    assert check_assignment(group, apart, verdict.certificate, goals).certificate_fault is None


@pytest.mark.parametrize("start", tiered(range(0, 200, 50), 1))
def test_a_clash_that_is_named_is_one_and_none_of_its_parts_is(start: int) -> None:
    named = 0
    for seed in range(start, start + 50):
        group, draw = tiny_group(seed), random.Random(seed)
        members = [member.member_id for member in group.members]
        values = random_limits(draw, LIMITS, members, [*group.topics])
        facts = facts_of_group(group)
        every = facts.every()
        stated = [(name, entry) for name in LIMITS for entry in values[name]]
        keep = [facts.keeps(every, {name: [entry]}) for name, entry in stated]
        numbers = range(len(stated))
        parts = [part for size in numbers for part in itertools.combinations(numbers, size + 1)]
        clashes = (p for p in parts if not np.all([keep[at] for at in p], axis=0).any())
        if (smallest := next(clashes, None)) is None:
            continue
        with pytest.raises(LimitsError) as caught:
            assign(group, goals=Goals(**values))
        texts = [LimitSet.of([limit]).in_words()[0] for limit in Goals(**values).limits.each()]
        result = str(caught.value).partition(": ")[2].partition("; ")[0].split(" and ")
        assert result == [texts[at] for at in smallest], (seed, values)
        named += 1
    assert named > 5


@pytest.mark.parametrize("spelled", ["/x", "x", "/?", "?"])
def test_a_host_is_the_same_with_kafkas_slash_and_without(spelled: str) -> None:
    """In the limit, and in the tables of members, which may come from several sources."""
    group = replace(problem([8], [[0]] * 4, np.arange(8) % 4), hosts=["/x", "x", "/yy", "yy"])
    drained = solve(group, Goals(exclude=[{"hosts": spelled}]))  # type: ignore[arg-type]
    assert np.bincount(drained.target, minlength=4).tolist() == [0, 0, 4, 4]
    goals = Goals(max_per_host=[{"hosts": spelled, "most": 2}])  # type: ignore[arg-type]
    target = solve(group, goals).target
    assert np.bincount(target, minlength=4)[:2].sum() == 2
    verdict = check_assignment(group, target, goals=goals)
    assert (verdict.faults, verdict.balance_optimal, verdict.moves_optimal) == ([], True, True)


@pytest.mark.parametrize(
    ("name", "fits", "idle"),
    [
        ("pin", {"members": "m00000", "topics": "t*"}, {"members": "m00000", "topics": "u"}),
        ("pin", {"members": "m0*", "partitions": [7]}, {"members": "m0*", "partitions": [8]}),
        ("exclude", {"hosts": "/x"}, {"hosts": "10.9.0.1"}),
        ("max_partitions", {"members": "*1", "most": 3}, {"members": "*2", "most": 3}),
        ("max_per_topic", {"topics": "t00000", "most": 9}, {"topics": "t00002", "most": 9}),
        ("max_per_host", {"hosts": "x", "most": 9}, {"hosts": "y", "most": 9}),
        ("max_weight", {"most": 9}, {"racks": "east", "most": 9}),
        ("copartition", {"topics": "t00000, t00001"}, {"topics": "t00000, t00002"}),
    ],
)
def test_limits_that_nothing_fits_are_known(
    name: str, fits: dict[str, Any], idle: dict[str, Any]
) -> None:
    group = replace(problem([8, 2], [[0, 1]] * 2), hosts=["/x", None])
    both = [LimitSet.of([(name, stated_limits(name, limit)[0][0])]) for limit in (fits, idle)]
    assert [fitting(group, limits) for limits in both] == [both[0].in_words(), []]


def test_what_limits_forbid_is_a_fault() -> None:
    group = problem([4, 2], [[0, 1], [0, 1]], np.array([0, 0, 0, 0, 1, 1]))
    target = np.array([0, 0, 0, 1, 1, 1])
    goals = Goals(
        pin=[{"topics": "t00001", "members": "m00000"}],  # type: ignore[arg-type]
        max_partitions=[{"members": "m00001", "most": 2}],  # type: ignore[arg-type]
        max_per_topic=2,  # type: ignore[arg-type]
    )
    assert check_assignment(group, target, goals=goals).faults == [
        "t00001-0 is assigned to m00001, which its limits don't allow (2 such)",
        "m00001 is given 3 partitions, and its limits allow 2",
        "m00000 is given 3 partitions of t00000, and its limits allow 2",
    ]


def drained() -> Group:
    owned = [("orders", p) for p in range(6)]
    return Group(
        {"orders": 6},
        [
            Member("a", ["orders"], owned[:2], instance_id="one", host="10.0.0.1", rack="x"),
            Member("b", ["orders"], owned[2:4], client_id="two", host="/10.0.0.2", rack="y"),
            Member("c", ["orders"], owned[4:], host="10.0.0.1", rack="x"),
        ],
    )


@pytest.mark.parametrize(
    ("limit", "loads"),
    [
        ({"members": "a"}, [0, 3, 3]),
        ({"members": "on?"}, [0, 3, 3]),
        ({"members": "two"}, [3, 0, 3]),
        ({"hosts": "10.0.0.1"}, [0, 6, 0]),
        ({"hosts": "10.0.0.2"}, [3, 0, 3]),
        ({"hosts": "/10.0.0.2"}, [3, 0, 3]),
        ({"racks": "y"}, [3, 0, 3]),
        ({"hosts": "10.*", "racks": "x", "members": "c"}, [3, 3, 0]),
        ({"members": "nobody"}, [2, 2, 2]),
    ],
)
def test_members_are_told_by_names_hosts_and_racks(limit: dict[str, str], loads: list[int]) -> None:
    plan = assign(drained(), goals=Goals(exclude=[limit]))  # type: ignore[arg-type]
    assert [*plan.loads.values()] == loads
    assert plan.moves == sum(2 for load in loads if not load)
    assert plan.check().moves_optimal


def weighted() -> Group:
    """Weights of 4, 3, 2 and 1, all of them on a."""
    owned = [("t", p) for p in range(4)]
    members = [Member("a", ["t"], owned), Member("b", ["t"]), Member("c", ["t"])]
    return Group({"t": 4}, members, weights={"t": [4.0, 3.0, 2.0, 1.0]})


TOPICS = {"orders": 4, "payments": 4}

BOTH = [Member(name, [*TOPICS]) for name in "ab"]

TOGETHER: dict[str, Any] = {"copartition": "orders, payments"}


def test_what_is_apart_is_a_fault_where_topics_go_together() -> None:
    group = problem_of(Group(TOPICS, BOTH)).problem
    target = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    assert check_assignment(group, target, goals=Goals(**TOGETHER)).faults == [
        "orders-1 is assigned to a and payments-1 to b; they are to be together (2 such)"
    ]
    for frontier in (frontier_of, weighted_frontier_of):
        with pytest.raises(LimitsError, match="isn't worked out under copartition"):
            frontier(group, Goals(**TOGETHER))
    uneven = Group({"orders": 4, "payments": 3}, BOTH)
    assert assign(uneven, goals=Goals(copartition="*")).loads == {"a": 4, "b": 3}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("group", "goals", "text"),
    [
        (
            drained(),
            {"exclude": [{"hosts": "10.0.0.1"}], "max_partitions": 4, "max_per_topic": 9},
            "its limits can't be met together: exclusion of host 10.0.0.1 and at most 4 partitions "
            "for each member; 6 partitions of orders may go only to b, with room for 4",
        ),
        (
            Group(TOPICS, [Member("a", ["orders"]), Member("b", ["payments"])]),
            TOGETHER,
            "its limits can't be met: equal partitions of orders, payments together; 8 partitions "
            "of orders, payments may go to no member that reads them",
        ),
        (
            Group(TOPICS, BOTH),
            TOGETHER | {"max_partitions": [{"most": 5}, {"members": "b", "most": 3}]},
            "its limits can't be met together: at most 5 partitions for each member and at most 3 "
            "partitions for b and equal partitions of orders, payments together; 8 partitions of "
            "orders, payments may go only to a, b, with room for 6",
        ),
        (
            Group(dict.fromkeys(TOPICS, 1), BOTH),
            TOGETHER | {"max_partitions": 1},
            "its limits can't be met together: at most 1 partition for each member and equal "
            "partitions of orders, payments together; orders-0 and payments-0 go to the same "
            "member, and the members that read them may have at most 1",
        ),
        (
            weighted(),
            {"exclude": ["a"], "max_weight": 4.5, "max_partitions": 9},
            "its limits can't be met together: exclusion of a and at most a weight of 4.5 for each "
            "member; 4 partitions of t, which weigh 10, may go to b, c alone, which may have 9",
        ),
        (
            weighted(),
            {"max_weight": 3.5},
            "its limits can't be met: at most a weight of 3.5 for each member; 1 partition of t, "
            "which weighs 4, may go to a, b, c alone, which may have 10.5",
        ),
    ],
)
def test_a_clash_is_told_in_words(group: Group, goals: dict[str, Any], text: str) -> None:
    balance = "weight" if group.weights else "count"
    with pytest.raises(LimitsError) as caught:
        assign(group, goals=Goals(balance=balance, **goals))
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "limits",
    [
        {"copartition": "t,u"},
        {"copartition": "t,u", "max_partitions": 3},
        {"max_partitions": 3},
        {"balance": "weight", "max_partitions": 3},
        {"balance": "weight", "max_weight": 3.0},
        {"max_per_topic": 1, "max_moves": 2},
    ],
)
@pytest.mark.parametrize("subscriptions", [[], [[]], [["gone"]]])
def test_groups_in_which_nobody_reads_anything_have_plans(
    limits: dict[str, Any], subscriptions: list[list[str]]
) -> None:
    members = [Member(str(at), topics) for at, topics in enumerate(subscriptions)]
    for topics in ({"t": 1, "u": 2}, {}):
        plan = assign(Group(topics, members), goals=Goals(**limits))
        assert not any(plan.assignment.values())
        assert plan.check().faults == []
