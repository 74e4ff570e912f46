"""A team's own strategies: found by name, asked with a group, and never trusted."""

import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from optimizer import Group, Member, StrategyError, assign, is_strategy
from optimizer.model import group_of, problem_of
from optimizer.strategies import own
from tests.paths import ROOT
from tests.support.groups import tiny_group

Offer = Callable[[Callable[[Group], Any]], str]


@pytest.fixture
def offer() -> Iterator[Offer]:
    """Puts a function where its name finds it."""
    module = ModuleType("teams_own")
    sys.modules["teams_own"] = module

    def offered(function: Callable[[Group], Any]) -> str:
        setattr(module, "strategy", function)  # noqa: B010 - it is a module's name
        own.own_strategy.cache_clear()
        return "teams_own:strategy"

    yield offered
    own.own_strategy.cache_clear()
    del sys.modules["teams_own"]


def pair() -> Group:
    return Group(
        {"t": 2, "u": 1},
        [Member("b", ["t", "u"], [("t", 1)], rack="x"), Member("a", ["t"], [("t", 0)])],
    )


def test_it_is_asked_with_the_group_as_it_was_stated_and_returns_the_plan(offer: Offer) -> None:
    asked: list[Group] = []

    def strategy(group: Group) -> dict[str, Any]:
        asked.append(group)
        return {"b": [("u", 0), ("t", 0), ("t", 1)]}

    name = offer(strategy)
    plan = assign(pair(), strategy=name)
    assert plan.assignment == {"a": [], "b": [("t", 0), ("t", 1), ("u", 0)]}
    assert (plan.loads, plan.moves, plan.strategy) == ({"a": 0, "b": 3}, 1, name)
    assert plan.check().balance_optimal is False
    (group,) = asked
    assert [member.member_id for member in group.members] == ["b", "a"], "as the leader has them"
    assert group.topics == {"t": 2, "u": 1}
    first = group.members[0]
    assert (first.rack, first.topics, first.owned) == ("x", ["t", "u"], [("t", 1)])


def test_groups_come_back_as_they_went() -> None:
    for seed in range(50):
        for values in (tiny_group(seed), tiny_group(seed, racks=True)):
            there = problem_of(values).problem
            back = problem_of(group_of(there)).problem
            for strategy in ("optimal", "sticky", "range"):
                try:
                    expected = assign(values, strategy)
                except StrategyError:
                    continue
                assert assign(group_of(there), strategy).assignment == expected.assignment, seed
            assert back.racks == there.racks
            assert back.owner.tolist() == there.owner.tolist()


ALL = [("u", 0), ("t", 0), ("t", 1)]


@pytest.mark.parametrize(
    ("returned", "fault"),
    [
        (None, "it returns NoneType, and not a mapping of members"),
        ({"b": ALL[:2]}, "t-1 goes to no member"),
        ({"b": ALL[1:], "a": ALL[:1]}, "u-0 goes to a, which doesn't read it"),
        ({"b": [*ALL, ("t", 0)]}, "t-0 is given twice"),
        ({"b": ALL, "c": []}, "'c' isn't a member"),
        ({"b": [*ALL, ("t", 2)]}, "('t', 2), given to b, is not a partition"),
        ({"b": [*ALL, 7]}, "7, given to b, is not a partition"),
        ({"b": [*ALL, ("t", -1)]}, "('t', -1), given to b, is not a partition"),
    ],
)
def test_faults_are_told(offer: Offer, returned: Any, fault: str) -> None:
    name = offer(lambda group: returned)
    with pytest.raises(StrategyError) as caught:
        assign(pair(), strategy=name)
    assert (
        str(caught.value) == f"strategy {name} returns no valid assignment of this group: {fault}"
    )


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("no_such_package:f", "no_such_package:f' can't be loaded"),
        ("teams_own:other", "teams_own:other' can't be loaded"),
        ("nothing", "or package:function"),
        ("best", r"unknown strategy 'best': choose one of optimal, range"),
    ],
)
def test_what_cannot_be_loaded_is_said(offer: Offer, name: str, fault: str) -> None:
    offer(lambda group: {})
    with pytest.raises(ValueError, match=fault):
        assign(pair(), strategy=name)
    assert not is_strategy("nothing")


def test_entry_points_have_names_of_their_own(
    offer: Offer, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = offer(lambda group: {"b": [("u", 0), ("t", 0), ("t", 1)]})
    point = EntryPoint("ours", value, own.ENTRY_POINTS)
    monkeypatch.setattr(own, "entry_points", lambda group: [point])
    assert is_strategy("ours")
    assert assign(pair(), strategy="ours").loads == {"a": 0, "b": 3}


def test_the_example_in_the_docs_goes_by_lag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/strategies.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "lag.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    group = Group(
        {"t": 4},
        [Member("a", ["t"], [("t", p) for p in range(4)]), Member("b", ["t"])],
        weights={"t": [90, 0, 60, 50]},
    )
    plan = assign(group, strategy="lag:by_lag")
    assert plan.assignment == {"a": [("t", 0), ("t", 1)], "b": [("t", 2), ("t", 3)]}
