"""What has names in a plan is made when it is read, and is then what it always was."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from dataclasses import replace

import pytest

import optimizer.plan
from optimizer import Group, Member, Plan, assign

GROUP = Group(
    {"t": 3}, [Member("A", ["t"], owned=[("t", p) for p in range(3)]), Member("B", ["t"])]
)
NAMES = {"A": [("t", 0), ("t", 1)], "B": [("t", 2)]}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which names were made, in their order."""
    made: list[str] = []
    for name in ("_by_member", "_loads_by_member"):
        make = getattr(optimizer.plan, name)
        monkeypatch.setattr(
            optimizer.plan,
            name,
            lambda *inputs, _n=name, _m=make: (made.append(_n), _m(*inputs))[1],
        )
    return made


def test_nothing_is_made_before_it_is_read_and_nothing_twice(made: list[str]) -> None:
    plan = assign(GROUP)
    assert (plan.moves, plan.sum_squares, made) == (1, 5, [])
    assert plan.assignment == NAMES
    assert plan.assignment is plan.assignment is plan.first_round
    assert made == ["_by_member"]
    assert plan.loads == {"A": 2, "B": 1}
    assert made == ["_by_member", "_loads_by_member"]


def test_first_round_of_a_cooperative_strategy_is_made_for_itself() -> None:
    plan = assign(GROUP, "cooperative-sticky")
    assert plan.first_round != plan.assignment
    assert plan.first_round["B"] == []


@pytest.mark.parametrize("read_before", [False, True])
def test_unread_plans_are_what_read_ones_are(read_before: bool) -> None:
    plan, other = assign(GROUP), assign(GROUP)
    if read_before:
        assert plan.assignment == NAMES
    for copy in (pickle.loads(pickle.dumps(plan)), deepcopy(plan), replace(plan), other):
        assert copy == plan
        assert repr(copy) == repr(plan)
    assert json.loads(json.dumps(assign(GROUP).assignment)) == {
        member: [list(pair) for pair in name] for member, name in NAMES.items()
    }
    assert f"assignment={NAMES!r}" in repr(assign(GROUP))
    assert plan != assign(GROUP, "cooperative-sticky")


def test_a_plan_can_be_stated_by_names() -> None:
    plan = Plan("optimal", NAMES, NAMES, {"A": 2, "B": 1}, 5, 1, 0, [])
    assert plan == assign(GROUP)
    assert plan.spread == 0
