"""From an encoded row to a row for each strategy, one group at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optimizer import CONNECT_STRATEGIES, STRATEGIES, STRATEGY_NAMES, Strategy, StrategyError
from optimizer.checker.check import check_assignment
from optimizer.model.answer import Answer, settled
from optimizer.model.classes import classes_of
from spark.compare import measure
from spark.compare.compared_row import ComparedRow
from spark.compare.measure import rows_of_group
from spark.groups.columns import columns_of
from spark.groups.group import read_group
from spark.settings.strategies import CURRENT
from spark.solve.time_limit import TimeLimit
from spark.trial import trial
from tests.support.encoded import encoded_group
from tests.support.fleets import Fleet, fleet_of_groups
from tests.support.random_groups import random_group

COLUMNS = columns_of(ComparedRow)
ALL = [CURRENT, *STRATEGIES]
EVERY = [CURRENT, *STRATEGY_NAMES]

Answers = dict[str, dict[str, Any]]


def measured(
    fleet: Fleet, strategies: list[str] = ALL, group: str = "g", seconds: float = 60
) -> Answers:
    """What is said of a group, by strategy and column."""
    with TimeLimit(seconds) as limit:
        rows = list(rows_of_group(encoded_group(fleet, group), strategies, limit))
    output = [dict(zip(COLUMNS, row.cells(), strict=True)) for row in rows]
    assert [row["strategy"] for row in output] == strategies
    return {row["strategy"]: row for row in output}


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

        for module in (measure, trial):
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


def test_connect_workers_are_compared_under_what_connect_has() -> None:
    """worker a runs four of c's tasks, b has just come."""
    claims = [("c", task, "a") for task in range(4)]
    row = encoded_group(Fleet().topic("c", 4).group("g", {"a": ["c"], "b": ["c"]}, claims))
    row.type = "connect"
    with TimeLimit(60) as limit:
        rows = {compared.strategy: compared for compared in rows_of_group(row, EVERY, limit)}
    assert list(rows) == [CURRENT, *CONNECT_STRATEGIES]
    assert {compared.kind for compared in rows.values()} == {"connect"}
    cooperative, eager = rows["connect-cooperative"], rows["connect-eager"]
    assert (cooperative.moves, cooperative.transferring, cooperative.rounds) == (2, 2, 2)
    assert (eager.moves, eager.transferring, eager.stopped_eager) == (2, 0, 4)
    assert (cooperative.max_load, cooperative.moves_optimal) == (2, True)


def test_a_connect_group_without_a_plan_has_rows_for_the_same_strategies() -> None:
    row = encoded_group(Fleet().group("g", {}))
    row.type = "connect"
    with TimeLimit(60) as limit:
        rows = list(rows_of_group(row, EVERY, limit))
    assert [compared.strategy for compared in rows] == [CURRENT, *CONNECT_STRATEGIES]
    assert {compared.status for compared in rows} == {"empty"}


def test_consumers_are_compared_under_nothing_of_connect() -> None:
    with TimeLimit(60) as limit:
        rows = list(rows_of_group(encoded_group(one_joins()), EVERY, limit))
    assert [compared.strategy for compared in rows] == ALL
    assert {compared.kind for compared in rows} == {"consumer"}


def test_current_is_what_was_found_and_costs_nothing() -> None:
    row = measured(one_joins(), [CURRENT])[CURRENT]
    assert (row["partitions"], row["max_load"], row["min_load"], row["sum_squares"]) == (
        6,
        4,
        0,
        16,
    )
    costs = ("moves", "takeovers", "transferring", "stopped_eager", "stopped_cooperative", "rounds")
    assert [row[cost] for cost in costs] == [0] * 6
    assert row["excess"] == 1


def test_the_eager_protocol_stops_all_that_is_owned_and_the_cooperative_one_what_moves() -> None:
    """a gives one of four to b; what z left, and what is new, stands still whatever is done."""
    row = measured(one_joins(), ["optimal"])["optimal"]
    assert (row["max_load"], row["min_load"], row["moves"]) == (3, 3, 1)
    assert (row["stopped_eager"], row["stopped_cooperative"], row["rounds"]) == (4, 1, 2)
    assert (row["transferring"], row["excess"]) == (0, 0)


def test_it_takes_one_round_if_nothing_changes_hands() -> None:
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    row = measured(fleet, ["optimal"])["optimal"]
    assert (row["stopped_eager"], row["stopped_cooperative"], row["rounds"]) == (1, 0, 1)


def test_an_owner_who_unsubscribed_stops_under_any_protocol() -> None:
    fleet = Fleet().topic("t", 1).topic("u", 1)
    fleet.group("g", {"a": ["t"], "b": ["u"]}, [("t", 0, "a"), ("u", 0, "a")])
    row = measured(fleet, ["optimal"])["optimal"]
    assert (row["takeovers"], row["moves"], row["rounds"]) == (1, 0, 1)
    assert (row["stopped_eager"], row["stopped_cooperative"]) == (1, 0)


def test_what_the_first_cooperative_round_gives_to_nobody_is_transferring() -> None:
    """sticky reaches the same target, and hands all of it out at once."""
    answers = measured(one_joins(), ["sticky", "cooperative-sticky"])
    cooperative, sticky = answers["cooperative-sticky"], answers["sticky"]
    assert (cooperative["transferring"], sticky["transferring"]) == (1, 0)
    same = ("max_load", "min_load", "sum_squares", "moves", "stopped_cooperative", "rounds")
    assert [cooperative[name] for name in same] == [sticky[name] for name in same]


def test_excess_is_above_the_optimum_not_above_the_mean() -> None:
    """a alone reads t: three partitions on one of two members can't be fewer."""
    fleet = Fleet().topic("t", 3).topic("u", 1)
    fleet.group("g", {"a": ["t", "u"], "b": ["u"]}, [("u", 0, "a")])
    answers = measured(fleet, [CURRENT, "range", "optimal"])
    assert (answers["optimal"]["max_load"], answers["optimal"]["excess"]) == (3, 0)
    assert (answers["range"]["max_load"], answers["range"]["excess"]) == (4, 1)
    # nobody has t yet, so that a's load is below the optimum's
    assert (answers[CURRENT]["max_load"], answers[CURRENT]["excess"]) == (1, 0)


@pytest.mark.parametrize("seed", range(40))
def test_who_is_optimal_is_what_the_check_says(seed: int) -> None:
    """The comparison with a proven optimum is in place of a proof for each strategy."""
    fleet = fleet_of_groups({"c": random_group(f"measure-{seed}")})
    group = read_group(encoded_group(fleet, "c"))
    if group.problem is None:
        return
    for strategy, row in measured(fleet, group="c").items():
        if row["status"] == "failed":
            continue
        target = classes_of(group.problem).kept
        if strategy != CURRENT:
            target = STRATEGIES[strategy].assign(group.problem).target
        verdict = check_assignment(group.problem, target)
        flags = (row["balance_optimal"], row["moves_optimal"])
        assert flags == (
            (None, None) if verdict.faults else (verdict.balance_optimal, verdict.moves_optimal)
        )


def test_without_the_optimum_each_answer_is_checked_and_no_excess_is_known(replaced: Any) -> None:
    replaced(optimal=raising(RuntimeError("no luck")))
    names = ["optimal", "sticky", "roundrobin", "range"]
    answers = measured(one_joins(), names)
    assert [row["status"] for row in answers.values()] == ["failed", "ok", "ok", "ok"]
    flags = [(answers[n]["balance_optimal"], answers[n]["moves_optimal"]) for n in names[1:]]
    assert flags == [(True, True), (True, False), (False, None)]
    assert [answers[name]["excess"] for name in names] == [None] * 4


def test_each_strategy_is_asked_once_and_sticky_not_at_all(replaced: Any) -> None:
    """cooperative-sticky's target is sticky's; the optimum is the measure of all."""
    asked = replaced()
    measured(one_joins(), ["sticky", "range", "cooperative-sticky"])
    assert sorted(asked) == ["cooperative-sticky", "optimal", "range"]


def test_where_kafka_throws_the_row_says_so_and_the_others_go_on(replaced: Any) -> None:
    asked = replaced(cooperative_sticky=raising(StrategyError("Kafka never ends here")))
    answers = measured(one_joins())
    for strategy in ("sticky", "cooperative-sticky"):
        row = answers.pop(strategy)
        assert (row["status"], row["reason"]) == ("failed", "Kafka never ends here")
        assert (row["members"], row["partitions"], row["max_load"]) == (2, None, None)
        assert (row["excess"], row["rounds"]) == (None, None)
    assert asked.count("cooperative-sticky") == 1
    assert {row["status"] for row in answers.values()} == {"ok"}


def test_a_strategy_that_needs_too_long_is_failed_and_the_others_go_on(replaced: Any) -> None:
    def for_ever(problem: Any) -> Answer:
        while True:
            pass

    replaced(roundrobin=for_ever)
    answers = measured(one_joins(), ["roundrobin", "range"], seconds=0.05)
    assert [row["status"] for row in answers.values()] == ["failed", "ok"]
    assert answers["roundrobin"]["reason"] == (
        "it takes longer than the 0.05 seconds that a strategy has for one group "
        "(setting strategy_seconds)"
    )


def test_another_error_is_told_with_its_class(replaced: Any) -> None:
    replaced(range=raising(ArithmeticError("no luck")))
    row = measured(one_joins(), ["range"])["range"]
    assert (row["status"], row["reason"]) == ("failed", "ArithmeticError: no luck")


def test_an_answer_that_is_no_assignment_is_not_called_optimal(replaced: Any) -> None:
    """As Kafka's own code now and then gives partitions to who doesn't subscribe."""
    fleet = Fleet().topic("t", 1).topic("u", 1).group("g", {"a": ["t"], "b": ["u"]})
    replaced(range=lambda problem: settled(np.array([1, 0])))
    row = measured(fleet, ["range"])["range"]
    assert (row["status"], row["sum_squares"]) == ("ok", 2)
    assert (row["balance_optimal"], row["moves_optimal"]) == (None, None)


@pytest.mark.parametrize(
    ("fleet", "status"),
    [
        (Fleet().group("g", {}), "empty"),
        (Fleet().group("g", {"a": []}, state="Assigning"), "rebalancing"),
        (Fleet().group("g", {"a": []}).add("groups", group="g"), "invalid"),
    ],
)
def test_a_group_without_a_problem_has_its_reason_under_every_strategy(
    fleet: Fleet, status: str
) -> None:
    for row in measured(fleet).values():
        assert row["status"] == status
        assert row["reason"]
        entries = {"cluster", "group", "status", "reason", "strategy", "members", "seconds", "kind"}
        assert {name for name, cell in row.items() if cell is not None} == entries


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

    monkeypatch.setattr(measure, "check_assignment", never_ending)
    fleet = Fleet().topic("t", 4).group("g", {"a": ["t"], "b": ["t"]})
    answers = measured(fleet, seconds=0.3)
    assert len(tried) == 1
    assert {answer["balance_optimal"] for answer in answers.values()} == {None}
    assert answers["range"]["max_load"] == 2
