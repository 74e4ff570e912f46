"""A plan: its numbers, its names, which are made when they are read, and its proof."""

import json
import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

import optimizer.plan
from optimizer import Group, Member, Plan, assign
from optimizer.model import GONE, NOBODY, measure
from tests.support.groups import problem


@pytest.mark.parametrize(("members", "owner"), [([[]], 0), ([], GONE)])
def test_what_has_no_reader_is_no_load_no_move_and_no_takeover(
    members: list[list[int]], owner: int
) -> None:
    group = problem([1], members, np.array([owner]))
    assert measure(group, np.array([NOBODY])) == (*(0,) * 7, None)


@pytest.mark.parametrize(
    ("owned", "takeovers"), [([("t", 0)], 2), ([], 0)], ids=["left behind", "all is new"]
)
def test_unowned_partitions_are_taken_over_in_a_group_that_owns_something(
    owned: list[tuple[str, int]], takeovers: int
) -> None:
    plan = assign(Group({"t": 3}, [Member("A", ["t"], owned), Member("B", ["t"])]))
    assert (plan.moves, plan.takeovers) == (0, takeovers)


GROUP = Group(
    {"t": 3}, [Member("A", ["t"], owned=[("t", p) for p in range(3)]), Member("B", ["t"])]
)
NAMES = {"A": [("t", 0), ("t", 1)], "B": [("t", 2)]}


def test_names_are_made_when_they_are_read_and_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    for name in ("_by_member", "_loads_by_member"):
        make = getattr(optimizer.plan, name)
        monkeypatch.setattr(
            optimizer.plan,
            name,
            lambda *inputs, _n=name, _m=make: (made.append(_n), _m(*inputs))[1],
        )
    plan = assign(GROUP)
    assert (plan.moves, plan.sum_squares, made) == (1, 5, [])
    assert plan.assignment == NAMES
    assert plan.assignment is plan.assignment is plan.first_round
    assert made == ["_by_member"]
    assert plan.loads == {"A": 2, "B": 1}
    assert made == ["_by_member", "_loads_by_member"]
    cooperative = assign(GROUP, "cooperative-sticky")
    assert cooperative.first_round == NAMES | {"B": []} != cooperative.assignment


@pytest.mark.parametrize("read_before", [False, True])
def test_unread_plans_are_what_read_ones_are(read_before: bool) -> None:
    plan, other = assign(GROUP), assign(GROUP)
    if read_before:
        assert plan.assignment == NAMES
    by_names = Plan("optimal", NAMES, NAMES, {"A": 2, "B": 1}, 5, 1, 0, [])
    assert plan == by_names
    for copy in (pickle.loads(pickle.dumps(plan)), deepcopy(plan), replace(plan), other):
        assert copy == plan
        assert repr(copy) == repr(plan)
    assert json.loads(json.dumps(assign(GROUP).assignment)) == {
        member: [list(pair) for pair in name] for member, name in NAMES.items()
    }
    assert f"assignment={NAMES!r}" in repr(assign(GROUP))
    assert plan != assign(GROUP, "cooperative-sticky")
    assert by_names.spread == 0
