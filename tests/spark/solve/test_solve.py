"""From an encoded row to the rows of a plan or a comparison, one group at a time."""

from typing import Any

import pytest

from optimizer import STRATEGIES, Strategy, StrategyError
from spark.solve import solve
from tests.support.fleets import Fleet
from tests.support.rows import COLUMNS, planned_alone, rows_of, solved


def every_action() -> Fleet:
    """a reads t, b reads t and u; nobody reads old any more, of which one was owned; z left."""
    fleet = Fleet().topic("t", 4).topic("u", 2).topic("old", 3)
    claims = [
        ("t", 0, "a"),
        ("t", 1, "a"),
        ("t", 2, "z"),
        ("t", 3, "a"),
        ("u", 0, "a"),
        ("old", 2, "b"),
    ]
    return fleet.group("g", {"a": ["t"], "b": ["t", "u"]}, claims)


def test_measures_are_of_the_plan_and_the_found_ones_of_the_snapshot() -> None:
    plan = solved(rows_of(every_action()))
    assert (plan.members, plan.partitions) == (2, 6)
    assert (plan.max_load, plan.min_load, plan.sum_squares) == (3, 3, 18)
    assert (plan.moves, plan.takeovers) == (0, 2)
    assert (plan.balance_optimal, plan.moves_optimal) == (True, True)
    # what a owned of u, which it doesn't read, isn't load
    assert (plan.current_max_load, plan.current_min_load, plan.current_sum_squares) == (3, 0, 9)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "optimal"])
def test_a_strategy_is_called_optimal_only_where_it_is(strategy: str) -> None:
    """Two topics of one partition: Range gives both to the first member, the others spread them."""
    fleet = Fleet().topic("t", 1).topic("u", 1).group("g", {"a": ["t", "u"], "b": ["t", "u"]})
    plan = solved(rows_of(fleet), strategy)
    assert plan.balance_optimal == (plan.sum_squares == 2)
    assert plan.strategy == strategy


@pytest.mark.parametrize("error", [RuntimeError("no luck"), StrategyError("Kafka throws here")])
def test_a_group_whose_solver_fails_is_failed_with_the_reason(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(problem: Any, goals: Any) -> None:
        raise error

    monkeypatch.setattr(solve, "strategy_named", lambda _: Strategy(fail, has_goals=True))
    plan = solved(rows_of(every_action()))
    assert plan.status == "failed"
    assert str(error) in plan.reason
    assert (plan.members, plan.partitions, plan.max_load, plan.moves) == (2, None, None, None)
    assert len(plan.topic) == len(plan.target) == 0


def test_a_plan_stands_though_its_proof_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "check_assignment", never_ending)
    row = planned_alone(rows_of(every_action()), seconds=0.2).solved
    assert row.status == "ok"
    assert row.reason == (
        "whether anything is better isn't known: the proof takes longer than 0.2 seconds (setting "
        "strategy_seconds)"
    )
    assert (row.max_load, row.sum_squares, row.moves, row.takeovers) == (3, 18, 0, 2)
    assert (row.balance_optimal, row.moves_optimal, row.spread_optimal) == (None, None, None)
    assert row.certificate is None
    assert len(row.target) == 7


def never_ending(*facts: Any, **options: Any) -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("fleet", "status"),
    [
        (Fleet().group("g", {}), "empty"),
        (Fleet().group("g", {"a": []}, state="Assigning"), "rebalancing"),
        (Fleet().group("g", {"a": []}).add("groups", group="g"), "invalid"),
    ],
)
def test_a_group_without_a_plan_has_a_row_without_measures(fleet: Fleet, status: str) -> None:
    plan = solved(rows_of(fleet))
    assert plan.status == status
    assert plan.reason
    measures = COLUMNS[COLUMNS.index("partitions") : COLUMNS.index("seconds")]
    assert {name: getattr(plan, name) for name in measures} == dict.fromkeys(measures)
    assert plan.members == len(fleet.rows["members"])
