"""Goals are checked; a plan that isn't worth its moves isn't made."""

from __future__ import annotations

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, Member, assign
from optimizer.model.goals import DEFAULT_GOALS
from optimizer.model.numbering import problem_of
from optimizer.model.problem import NOBODY
from optimizer.solver.solve import gain_of, solve
from tests.optimizer.oracles import brute_force, facts_of_problem, outcome_of
from tests.support.groups import problem, tiny_group


def test_all_faults_are_listed_at_once() -> None:
    with pytest.raises(GoalsError) as raised:
        Goals(rack="nearest", levels=("racks", "racks"), min_gain=-1)
    assert raised.value.faults == [
        "rack is 'nearest' and must be 'leader', 'any' or None",
        "levels is ('racks', 'racks') and must be a list of 'racks', 'moves', 'hosts', 'spread', "
        "each once at most",
        "min_gain is -1 and must be a number from 0 to 1,000",
    ]


@pytest.mark.parametrize(
    "faulty",
    [
        {"rack": ""},
        {"levels": "racks"},
        {"levels": ("moves", "moves")},
        {"levels": ("racks", "moves", "balance")},
        {"levels": 3},
        {"levels": [["moves"]]},
        {"min_gain": float("nan")},
        {"min_gain": float("inf")},
        {"min_gain": "1"},
        {"min_gain": True},
    ],
)
def test_one_fault_is_a_fault(faulty: dict[str, object]) -> None:
    with pytest.raises(GoalsError, match=next(iter(faulty))):
        Goals(**faulty)  # type: ignore[arg-type]


def test_levels_may_come_as_a_list_as_toml_has_them() -> None:
    goals = Goals(rack="any", levels=["moves", "racks"])  # type: ignore[arg-type]
    assert goals == Goals(rack="any", levels=("moves", "racks"))
    assert goals.order == ("moves", "racks", "hosts", "spread")


def test_levels_that_are_not_named_come_last() -> None:
    assert DEFAULT_GOALS.order == ("moves", "hosts", "spread"), "without racks they don't count"
    assert Goals(rack="any").order == ("racks", "moves", "hosts", "spread")
    assert Goals(levels=("spread",)).order == ("spread", "moves", "hosts")
    assert Goals(rack="any", levels=("spread", "moves")).order == (
        "spread",
        "moves",
        "racks",
        "hosts",
    )
    assert Goals(rack="any", levels=()).order == ("racks", "moves", "hosts", "spread")


def spread(*counts: int) -> Group:
    """Everybody reads one topic and owns so many of its partitions."""
    ends = np.cumsum([0, *counts]).tolist()
    members = [
        Member(f"m{at}", ["t"], owned=[("t", p) for p in range(ends[at], ends[at + 1])])
        for at in range(len(counts))
    ]
    return Group({"t": sum(counts)}, members)


def test_direct_transfers_put_one_right_by_one_move() -> None:
    assert assign(spread(5, 1), goals=Goals(min_gain=1)).loads == {"m0": 3, "m1": 3}
    stays = assign(spread(5, 1), goals=Goals(min_gain=1.01))
    assert stays.loads == {"m0": 5, "m1": 1}
    assert (stays.moves, stays.notes) == (0, ["not worth 2 moves"])


def test_a_chain_over_another_member_needs_two_moves_for_one() -> None:
    group = Group(
        {"a": 2, "b": 1},
        [
            Member("A", ["a"], owned=[("a", 0), ("a", 1)]),
            Member("B", ["a", "b"], owned=[("b", 0)]),
            Member("C", ["b"]),
        ],
    )
    assert assign(group, goals=Goals(min_gain=0.5)).moves == 2
    assert assign(group, goals=Goals(min_gain=0.51)).notes == ["not worth 2 moves"]


def test_a_read_within_the_rack_counts_as_put_right() -> None:
    group = Group(
        {"t": 2},
        [
            Member("A", ["t"], owned=[("t", 0)], rack="x"),
            Member("B", ["t"], owned=[("t", 1)], rack="y"),
        ],
        leader_racks={"t": ["y", "x"]},
    )
    assert assign(group, goals=Goals(rack="leader", min_gain=1)).moves == 2
    assert assign(group, goals=Goals(rack="leader", min_gain=1.1)).moves == 0


def test_nothing_to_move_is_worth_nothing_and_needs_no_reason() -> None:
    plan = assign(spread(2, 2), goals=Goals(min_gain=9))
    assert (plan.moves, plan.notes) == (0, [])


def test_what_has_no_owner_is_placed_all_the_same() -> None:
    """Nothing moves, every partition has a reader, and no such plan is more balanced."""
    stood = 0
    for seed in range(500):
        group = problem_of(tiny_group(seed)).problem
        answer = solve(group, Goals(min_gain=9))
        facts, best = facts_of_problem(group), outcome_of(group, solve(group).target)
        fixed = [
            [owner] if owner in readers else readers
            for owner, readers in zip(facts.owner, facts.readers, strict=True)
        ]
        kinds_if_nothing_moves = brute_force(facts._replace(readers=fixed))
        if answer.reason is None:
            assert outcome_of(group, answer.target) == best
            assert best.moves == 0
            continue
        assert answer.reason == f"not worth {best.moves} move{'s' * (best.moves > 1)}"
        assert outcome_of(group, answer.target) == kinds_if_nothing_moves
        assert ((answer.target == NOBODY) == [not readers for readers in facts.readers]).all()
        stood += 1
    assert stood > 20


def test_a_topic_that_is_spread_counts_as_put_right_where_it_comes_before_moves() -> None:
    """Two members exchange two of their four: by four moves, four are put right."""
    a, b = ([(topic, p) for p in range(4)] for topic in "ab")
    group = Group({"a": 4, "b": 4}, [Member("A", ["a", "b"], a), Member("B", ["a", "b"], b)])
    assert assign(group, goals=Goals(levels=("spread",), min_gain=1)).moves == 4
    assert assign(group, goals=Goals(levels=("spread",), min_gain=1.01)).moves == 0


def test_gain_counts_partitions_above_the_planned_loads() -> None:
    group = problem([10], [[0], [0], [0]], np.array([0] * 8 + [1, 2]))
    planned = np.array([0] * 4 + [1] * 3 + [2] * 3)
    assert gain_of(group, group.owner, planned, DEFAULT_GOALS) == 4
    swapped = np.array([2] * 8 + [0, 1])
    assert gain_of(group, group.owner, swapped, DEFAULT_GOALS) == 0, "loads are only exchanged"
