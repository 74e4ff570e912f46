"""Goals are checked; a plan that isn't worth its moves isn't made."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, GoalsError, Group, Member, assign
from optimizer.model.goals import DEFAULT_GOALS
from optimizer.model.problem import NOBODY
from optimizer.solver.solve import gain_of, solve
from tests.optimizer.oracles import facts_of_problem
from tests.optimizer.strategies.written_groups import group_of
from tests.support.groups import problem, tiny_problem
from tests.support.tiers import tiered


@pytest.mark.parametrize(
    ("settings", "faults"),
    [
        (
            {"rack": "nearest", "levels": ("racks", "racks"), "min_gain": -1},
            [
                "rack is 'nearest' and must be 'leader', 'any' or none",
                "levels is ('racks', 'racks') and must be a list of 'racks', 'moves', 'hosts', "
                "'spread', each once at most",
                "min_gain is -1 and must be a number from 0 to 1,000",
            ],
        ),
        (
            {
                "pin": [{"topics": "t"}, {"members": 3, "topics": "t"}],
                "exclude": [{"host": "a"}],
                "max_partitions": "a",
                "max_per_topic": [{"most": -1}, 2.5],
                "max_per_host": "a",
            },
            [
                "a pin needs members, hosts or racks",
                "members of pin is 3 and must be a pattern",
                "exclude has the key 'host': it knows members, hosts, racks, topics, partitions",
                "an exclude needs members, hosts or racks",
                *(
                    f"most of {name} and must be a whole number of 0 or more"
                    for name in (
                        "max_partitions is None",
                        "max_per_topic is -1",
                        "max_per_topic is 2.5",
                    )
                ),
                "max_per_host has 'a', which is not a table of hosts, most",
            ],
        ),
        ({"balance": "count", "max_weight": 3.5}, ["max_weight needs balance = 'weight'"]),
        (
            {"copartition": "orders", "max_per_topic": 2},
            [
                "copartition names the topic 'orders' alone: name at least two, with a comma "
                "between them, or a pattern of them"
            ],
        ),
        (
            {"copartition": "order*", "max_per_topic": 2},
            ["max_per_topic doesn't work with copartition: use max_partitions"],
        ),
        ({"copartition": "t*", "max_per_host": 3}, ["max_per_host doesn't work with"]),
        ({"balance": "weight", "max_per_host": 3}, ["max_per_host doesn't work with"]),
        ({"balance": "weight", "max_weight": -1}, ["max_weight"]),
        *(
            ({"host": host}, ["with {host} once in it"])
            for host in ("pod-*", "{host}{host}", 3, "")
        ),
        *(({"levels": at}, ["levels"]) for at in ("racks", ("moves", "moves"), 3, [["moves"]])),
        ({"levels": ("racks", "moves", "balance")}, ["levels"]),
        ({"rack": ""}, ["rack"]),
        *(({"min_gain": at}, ["min_gain"]) for at in (float("nan"), float("inf"), "1", True)),
    ],
    ids=itertools.count(),
)
def test_all_faults_are_listed_at_once(settings: dict[str, Any], faults: list[str]) -> None:
    with pytest.raises(GoalsError) as raised:
        Goals(**settings)
    result = raised.value.faults
    assert all(fault in told for fault, told in zip(faults, result, strict=True))


def test_goals_with_limits_can_be_replaced_and_compared() -> None:
    goals = Goals(balance="weight", exclude="a", max_weight=3)  # type: ignore[arg-type]
    assert replace(goals, rack="any").exclude == goals.exclude
    assert replace(goals, tolerance=0.0).max_weight == goals.max_weight
    assert Goals(exclude="a", max_partitions=3) == Goals(  # type: ignore[arg-type]
        exclude=[{"members": "a"}],  # type: ignore[arg-type]
        max_partitions=[{"most": 3}],  # type: ignore[arg-type]
    )


def test_levels_that_are_not_named_come_last_and_racks_only_where_they_count() -> None:
    goals = Goals(rack="any", levels=["moves", "racks"])  # type: ignore[arg-type]
    assert goals == Goals(rack="any", levels=("moves", "racks")), "TOML has lists"
    assert goals.order == ("moves", "racks", "hosts", "spread")
    assert DEFAULT_GOALS.order == ("moves", "hosts", "spread")
    assert Goals(levels=("spread",)).order == ("spread", "moves", "hosts")
    order = Goals(rack="any", levels=("spread", "moves")).order
    assert order == ("spread", "moves", "racks", "hosts")
    for each in (Goals(rack="any"), Goals(rack="any", levels=())):
        assert each.order == ("racks", "moves", "hosts", "spread")


HOSTS = [
    *(Member(name, ["t"], [("t", p), ("t", p + 1)], host="h") for name, p in (("A", 0), ("B", 2))),
    *(Member(name, ["t"], [("t", p)], host="k") for name, p in (("C", 4), ("D", 5))),
]

NEAR = [
    Member("A", ["t"], owned=[("t", 0)], rack="x"),
    Member("B", ["t"], owned=[("t", 1)], rack="y"),
]


WORTH = {
    "direct transfers put one right by one move": (
        group_of("t:6", "A t, t:0,1,2,3,4 | B t, t:5"),
        *({}, 2, 1),
    ),
    "a chain over another member needs two for one": (
        group_of("a:2 b:1", "A a, a:0,1 | B a b, b:0 | C b"),
        *({}, 2, 0.5),
    ),
    "so it is where moves are limited": (
        group_of("t:8", "A t, t:0,1,2,3,4,5 | B t, t:6,7 | C t"),
        *({"max_moves": 2}, 2, 1),
    ),
    "a read within the rack counts as put right": (
        Group({"t": 2}, NEAR, leader_racks={"t": ["y", "x"]}),
        *({"rack": "leader"}, 2, 1),
    ),
    "so does a topic that is spread, where that comes before moves": (
        group_of("a:4 b:4", "A a b, a:0,1,2,3 | B a b, b:0,1,2,3"),
        *({"levels": ("spread",)}, 4, 1),
    ),
    "and a host that is relieved": (Group({"t": 6}, HOSTS), {"levels": ("hosts",)}, 1, 1),
}


@pytest.mark.parametrize(("group", "goals", "moves", "gain"), WORTH.values(), ids=WORTH)
def test_a_plan_that_is_not_worth_its_moves_is_not_made(
    group: Group, goals: dict[str, Any], moves: int, gain: float
) -> None:
    assert assign(group, goals=Goals(**goals, min_gain=gain)).moves == moves
    stays = assign(group, goals=Goals(**goals, min_gain=gain + 0.01))
    assert (stays.moves, stays.notes) == (0, [f"not worth {moves} move{'s' * (moves > 1)}"])
    assert stays.assignment == {member.member_id: [*member.owned] for member in group.members}


def test_nothing_to_move_is_worth_nothing_and_needs_no_reason() -> None:
    plan = assign(group_of("t:4", "A t, t:0,1 | B t, t:2,3"), goals=Goals(min_gain=9))
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
