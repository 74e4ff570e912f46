"""From an encoded row to a row for each strategy, one group at a time."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optimizer import (
    CONNECT_STRATEGIES,
    STRATEGIES,
    STRATEGY_NAMES,
    Group,
    Strategy,
)
from optimizer.checker.check import check_assignment
from optimizer.model import DEFAULT_GOALS, Goals
from optimizer.model.answer import Answer, at_once
from optimizer.model.classes import classes_of
from optimizer.strategies import OPTIMAL
from spark.compare import measure
from spark.compare.measure import ComparedRow, rows_of_group
from spark.groups.columns import columns_of
from spark.groups.group import read_group
from spark.settings import CURRENT, FleetGoals
from spark.solve import TimeLimit, planned_groups, solve
from spark.trial import trial
from tests.support.fleets import Fleet
from tests.support.random_groups import random_group
from tests.support.rows import rows_of
from tests.support.tiers import tiered

COLUMNS = columns_of(ComparedRow)
ALL = [CURRENT, *STRATEGIES]
EVERY = [CURRENT, *STRATEGY_NAMES]

Answers = dict[str, dict[str, Any]]


def measured(
    group: Fleet | Group,
    strategies: list[str] = ALL,
    seconds: float = 60,
    goals: Goals = DEFAULT_GOALS,
    **columns: Any,
) -> Answers:
    """What is said of a group whose row has these columns, by strategy and column."""
    row = rows_of(group)._replace(**columns)
    with TimeLimit(seconds) as limit:
        (planned,) = planned_groups([row], OPTIMAL, FleetGoals(goals), seconds)
        rows = list(rows_of_group(planned, strategies, limit))
    assert len({row.strategy for row in rows}) == len(rows)
    return {row.strategy: dict(zip(COLUMNS, row.cells(), strict=True)) for row in rows}


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Puts functions in the place of strategies; returns the list of strategies that are asked."""

    def replace(**by_name: Any) -> list[str]:
        asked: list[str] = []

        def named(name: str) -> Strategy:
            entries = STRATEGIES[name]
            answer = by_name.get(name.replace("-", "_"), entries.answer)

            def noted(*args: Any) -> Answer:
                asked.append(name)
                return answer(*args)

            return dataclasses.replace(entries, answer=noted)

        for module in (measure, solve, trial):
            monkeypatch.setattr(module, "strategy_named", named)
        return asked

    return replace


def raising(error: Exception) -> Callable[[Any], Answer]:
    def strategy(*_: Any) -> Answer:
        raise error

    return strategy


def one_joins() -> Fleet:
    """a owns t, b has just come; z left u behind; nobody owns v."""
    fleet = Fleet().topic("t", 4).topic("u", 1).topic("v", 1)
    claims = [*(("t", p, "a") for p in range(4)), ("u", 0, "z")]
    return fleet.group("g", {"a": ["t", "u", "v"], "b": ["t", "u", "v"]}, claims)


ROUNDS = ("moves", "takeovers", "transferring", "stopped_eager", "stopped_cooperative", "rounds")
UNSUBSCRIBED = Fleet().topic("t", 1).topic("u", 1)
UNSUBSCRIBED.group("g", {"a": ["t"], "b": ["u"]}, [("t", 0, "a"), ("u", 0, "a")])
# a alone reads t: three partitions on one of two members can't be fewer
BOUND = Fleet().topic("t", 3).topic("u", 1)
BOUND.group("g", {"a": ["t", "u"], "b": ["u"]}, [("u", 0, "a")])
NOTHING_CHANGES_HANDS = Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
JOINED = {"max_load": 3, "min_load": 3, "sum_squares": 18, "moves": 1, "stopped_cooperative": 1}


@pytest.mark.parametrize(
    ("fleet", "strategy", "measures"),
    [
        (
            one_joins(),
            CURRENT,
            {"partitions": 6, "max_load": 4, "min_load": 0, "sum_squares": 16, "excess": 1}
            | dict.fromkeys(ROUNDS, 0),
        ),
        # a gives one of four to b; what z left, and what is new, stands still whatever is done
        (one_joins(), "optimal", JOINED | {"stopped_eager": 4, "rounds": 2, "excess": 0}),
        # sticky reaches the same target, and hands all of it out at once
        (one_joins(), "sticky", JOINED | {"transferring": 0, "rounds": 2}),
        (one_joins(), "cooperative-sticky", JOINED | {"transferring": 1, "rounds": 2}),
        (
            NOTHING_CHANGES_HANDS,
            "optimal",
            {"stopped_eager": 1, "stopped_cooperative": 0, "rounds": 1},
        ),
        # an owner that unsubscribed stops under any protocol
        (
            UNSUBSCRIBED,
            "optimal",
            {"takeovers": 1, "moves": 0, "rounds": 1, "stopped_eager": 1, "stopped_cooperative": 0},
        ),
        # excess is above the optimum, not above the mean
        (BOUND, "optimal", {"max_load": 3, "excess": 0}),
        (BOUND, "range", {"max_load": 4, "excess": 1}),
        # no member has t yet, so that a's load is below the optimum's
        (BOUND, CURRENT, {"max_load": 1, "excess": 0}),
    ],
)
def test_what_a_strategy_costs(fleet: Fleet, strategy: str, measures: dict[str, int]) -> None:
    row = measured(fleet, [strategy])[strategy]
    assert {name: row[name] for name in measures} == measures


@pytest.mark.parametrize(
    ("goals", "excess"),
    [
        (Goals(), 0),
        (Goals(levels=("hosts", "moves")), 2),
        (Goals(max_per_host=({"most": 6},)), 2),
    ],
)
def test_hosts_are_held_against_the_optimum_of_goals_that_name_them(
    goals: Goals, excess: int
) -> None:
    """Two of five members have three of 12 partitions: both on the host of three, or the other."""
    fleet = Fleet().topic("t", 12)
    claims = [("t", number, "abcde"[number % 5]) for number in range(12)]
    fleet.group("g", {name: ["t"] for name in "abcde"}, claims)
    for row, host in zip(fleet.rows["members"], ("h1", "h1", "h1", "h2", "h2"), strict=True):
        row["host"] = host
    row = measured(fleet, [CURRENT], goals=goals)[CURRENT]
    assert (row["max_load"], row["max_host_load"], row["host_excess"]) == (3, 8, excess)


def test_connect_workers_are_compared_under_what_connect_has() -> None:
    """worker a runs four of c's tasks, b has just come; then a group without a plan."""
    claims = [("c", task, "a") for task in range(4)]
    joined = Fleet().topic("c", 4).group("g", {"a": ["c"], "b": ["c"]}, claims)
    answers, without = (
        measured(fleet, EVERY, type="connect") for fleet in (joined, Fleet().group("g", {}))
    )
    assert [*answers] == [*without] == [CURRENT, *CONNECT_STRATEGIES]
    assert {row["kind"] for row in answers.values()} == {"connect"}
    assert {row["status"] for row in without.values()} == {"empty"}
    cooperative, eager = answers["connect-cooperative"], answers["connect-eager"]
    assert [cooperative[name] for name in ("moves", "transferring", "rounds")] == [2, 2, 2]
    assert [eager[name] for name in ("moves", "transferring", "stopped_eager")] == [2, 0, 4]
    assert (cooperative["max_load"], cooperative["moves_optimal"]) == (2, True)


@pytest.mark.parametrize("seed", tiered(range(40), 10))
def test_who_is_optimal_is_what_the_check_says(seed: int) -> None:
    """The comparison with a proven optimum is in place of a proof for each strategy."""
    drawn = random_group(f"measure-{seed}")
    group = read_group(rows_of(drawn))
    if group.problem is None:
        return
    for strategy, row in measured(drawn).items():
        if row["status"] == "failed":
            continue
        target = classes_of(group.problem).kept
        if strategy != CURRENT:
            target = STRATEGIES[strategy].assign(group.problem).target
        verdict = check_assignment(group.problem, target)
        flags = (row["balance_optimal"], row["moves_optimal"])
        if verdict.faults:
            assert flags == (False if row["unread"] else None, None)
        else:
            assert flags == (verdict.balance_optimal, verdict.moves_optimal)


@pytest.mark.parametrize(
    ("optimal", "status"),
    [
        (raising(RuntimeError("no luck")), "failed"),
        (lambda problem, *_: STRATEGIES["range"].answer(problem), "ok"),
    ],
)
def test_without_the_optimum_each_answer_is_checked_and_no_excess_is_known(
    replaced: Any, optimal: Any, status: str
) -> None:
    """Where it fails, and where the check doesn't prove it."""
    replaced(optimal=optimal)
    names = ["optimal", "sticky", "roundrobin", "range"]
    answers = measured(one_joins(), names)
    assert [row["status"] for row in answers.values()] == [status, "ok", "ok", "ok"]
    flags = [(answers[n]["balance_optimal"], answers[n]["moves_optimal"]) for n in names[1:]]
    assert flags == [(True, True), (True, False), (False, None)]
    assert [answers[name]["excess"] for name in names] == [None] * 4


def for_ever(*_: Any) -> Answer:
    while True:
        pass


def test_a_strategy_that_takes_too_long_says_so_and_the_others_go_on(replaced: Any) -> None:
    replaced(roundrobin=for_ever)
    answers = measured(one_joins(), ["roundrobin", "range"], seconds=0.2)
    assert [row["status"] for row in answers.values()] == ["failed", "ok"]
    assert answers["roundrobin"]["reason"] == (
        "it takes longer than the 0.2 seconds that a strategy has for one group "
        "(setting strategy_seconds)"
    )


def test_an_answer_that_is_no_assignment_is_not_called_optimal(replaced: Any) -> None:
    """As Kafka's own code now and then gives partitions to who doesn't subscribe."""
    fleet = Fleet().topic("t", 1).topic("u", 1).group("g", {"a": ["t"], "b": ["u"]})
    replaced(range=lambda problem: at_once(np.array([1, 0])))
    row = measured(fleet, ["range"])["range"]
    assert (row["status"], row["sum_squares"]) == ("ok", 2)
    assert (row["balance_optimal"], row["moves_optimal"]) == (None, None)


def test_partitions_that_nobody_reads_are_never_balanced() -> None:
    """Though no member has more than in the best assignment, which all others are."""
    fleet = Fleet().topic("t", 4).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    columns = ("unread", "balance_optimal", "excess")
    answers = measured(fleet, [CURRENT, "range", "optimal"])
    assert {name: tuple(row[c] for c in columns) for name, row in answers.items()} == {
        CURRENT: (3, False, 0),
        "range": (0, True, 0),
        "optimal": (0, True, 0),
    }


def test_members_without_any_subscription_are_balanced() -> None:
    for row in measured(Fleet().group("g", {"a": [], "b": []})).values():
        assert (row["status"], row["partitions"], row["max_load"], row["excess"]) == ("ok", 0, 0, 0)
        assert (row["balance_optimal"], row["moves_optimal"]) == (True, True)


def test_a_proof_that_takes_too_long_is_tried_once_and_leaves_the_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    def never_ending(*facts: Any, **options: Any) -> None:
        tried.append(1)
        while True:
            pass

    for module in (measure, solve):
        monkeypatch.setattr(module, "check_assignment", never_ending)
    fleet = Fleet().topic("t", 4).topic("u", 0).group("g", {"a": ["t"], "b": ["t", "u"]})
    answers = measured(fleet, seconds=0.3)
    assert len(tried) == 2  # by the plan, and by what is measured
    unread = {name: answer["balance_optimal"] for name, answer in answers.items()}
    assert unread.pop("current") is False
    assert {*unread.values()} == {None}
    assert answers["range"]["max_load"] == 2
