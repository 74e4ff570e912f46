"""Goals are checked; a plan that isn't worth its moves isn't made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, Member, assign
from optimizer.model.goals import DEFAULT_GOALS
from optimizer.model.problem import NOBODY
from optimizer.solver.solve import gain_of, solve
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import problem, tiny_problem
from tests.support.tiers import tiered


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


A, B = ([(topic, p) for p in range(4)] for topic in "ab")

CHAIN = [
    Member("A", ["a"], owned=[("a", 0), ("a", 1)]),
    Member("B", ["a", "b"], owned=[("b", 0)]),
    Member("C", ["b"]),
]

NEAR = [
    Member("A", ["t"], owned=[("t", 0)], rack="x"),
    Member("B", ["t"], owned=[("t", 1)], rack="y"),
]


@pytest.mark.parametrize(
    ("group", "goals", "moves", "gain"),
    [
        pytest.param(spread(5, 1), {}, 2, 1, id="direct transfers put one right by one move"),
        pytest.param(Group({"a": 2, "b": 1}, CHAIN), {}, 2, 0.5, id="a chain needs two for one"),
        pytest.param(
            Group({"t": 2}, NEAR, leader_racks={"t": ["y", "x"]}),
            {"rack": "leader"},
            2,
            1,
            id="a read within the rack counts as put right",
        ),
        pytest.param(
            Group({"a": 4, "b": 4}, [Member("A", ["a", "b"], A), Member("B", ["a", "b"], B)]),
            {"levels": ("spread",)},
            4,
            1,
            id="so does a topic that is spread, where that comes before moves",
        ),
    ],
)
def test_a_plan_that_is_not_worth_its_moves_is_not_made(
    group: Group, goals: dict[str, Any], moves: int, gain: float
) -> None:
    assert assign(group, goals=Goals(**goals, min_gain=gain)).moves == moves
    stays = assign(group, goals=Goals(**goals, min_gain=gain + 0.01))
    assert (stays.moves, stays.notes) == (0, [f"not worth {moves} moves"])
    assert stays.assignment == {member.member_id: [*member.owned] for member in group.members}


def test_nothing_to_move_is_worth_nothing_and_needs_no_reason() -> None:
    plan = assign(spread(2, 2), goals=Goals(min_gain=9))
    assert (plan.moves, plan.notes) == (0, [])


@pytest.mark.parametrize("start", tiered(range(0, 500, 50), 2))
def test_what_has_no_owner_is_placed_all_the_same(start: int) -> None:
    """Nothing moves, every partition has a reader, and no such plan is more balanced."""
    stood = 0
    for seed in range(start, start + 50):
        group = tiny_problem(seed)
        answer = solve(group, Goals(min_gain=9))
        facts = facts_of_problem(group)
        every, result = facts.every(), facts.reached(answer.target)
        best = facts.best(every)
        if answer.reason is None:
            assert result == best
            assert best[1] == 0
            continue
        assert answer.reason == f"not worth {best[1]} move{'s' * (best[1] > 1)}"
        assert result == facts.best(every[facts.costs(every, "moves") == 0])
        assert ((answer.target == NOBODY) == [not readers for readers in facts.readers]).all()
        stood += 1
    assert stood


def test_gain_counts_partitions_above_the_planned_loads() -> None:
    group = problem([10], [[0], [0], [0]], np.array([0] * 8 + [1, 2]))
    planned = np.array([0] * 4 + [1] * 3 + [2] * 3)
    assert gain_of(group, group.owner, planned, DEFAULT_GOALS) == 4
    swapped = np.array([2] * 8 + [0, 1])
    assert gain_of(group, group.owner, swapped, DEFAULT_GOALS) == 0, "loads are only exchanged"
