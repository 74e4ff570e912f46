"""One group under several strategies: each is asked once, and what they come to is told once."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from optimizer import StrategyError
from optimizer.model import DEFAULT_GOALS, Goals
from spark.groups import FleetGroup, read_or_failed
from spark.settings import CURRENT, FleetGoals
from spark.solve import TimeLimit
from spark.trial import Trial, kafkas_own, need_racks, of_racks, rows_by_strategy, trial, verdicts
from tests.support.fleets import Fleet
from tests.support.rows import rows_of

FLEET = Fleet().topic("t", 5).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])


NAMES = ("cooperative-sticky", "sticky", "optimal", "optimal", CURRENT)


def tried(goals: Goals = DEFAULT_GOALS) -> Trial:
    problem = read_or_failed(rows_of(FLEET)).problem
    assert problem is not None
    return Trial(problem, TimeLimit(60), goals)


def counting(monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> list[str]:
    """The names of strategies as they are asked; each fails with the error, if there is one."""
    asked: list[str] = []
    known = trial.strategy_named

    def named(name: str) -> Any:
        strategy = known(name)

        def answer(*arguments: Any) -> Any:
            asked.append(name)
            if error:
                raise error
            return strategy.answer(*arguments)

        return dataclasses.replace(strategy, answer=answer)

    monkeypatch.setattr(trial, "strategy_named", named)
    return asked


def test_a_strategy_is_asked_once_and_another_one_with_its_target_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, group = counting(monkeypatch), tried()
    targets = [group.target(name).tolist() for name in NAMES]
    assert targets[0] == targets[1]
    assert targets[4] == [0, -1, -1, -1, -1]
    assert asked == ["cooperative-sticky", "optimal"]


def test_a_strategy_that_fails_is_asked_once_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """And so it does under the name of one with its search."""
    asked, group = counting(monkeypatch, StrategyError("no")), tried()
    for name in ("cooperative-sticky", "sticky", "sticky"):
        with pytest.raises(StrategyError, match="no"):
            group.answer(name)
    assert asked == ["cooperative-sticky"]


def test_the_optimums_load_and_what_is_above_it() -> None:
    group = tried()
    assert group.least_max == 3
    excess = [group.columns(np.array([most]), None)["excess"] for most in (5, 3, 2)]
    assert excess == [2, 0, 0]
    assert group.weight_bound is None


def test_whatever_a_strategy_makes_of_a_group_is_a_row() -> None:
    def outcome(strategy: str) -> dict[str, Any]:
        if strategy == "range":
            raise ValueError("it can't")
        return {"load": 3}

    def row_of(group: FleetGroup, strategy: str, **columns: Any) -> tuple[Any, ...]:
        return strategy, group.status, group.reason, columns

    row = rows_of(FLEET)
    strategies = ("range", "connect-eager", "optimal")
    rows = [*rows_by_strategy(row, strategies, DEFAULT_GOALS, lambda _: outcome, row_of)]
    assert rows == [
        ("range", "failed", "ValueError: it can't", {}),
        ("optimal", "ok", None, {"load": 3}),
    ]
    empty = rows_of(Fleet().group("g", {}))
    rows = [*rows_by_strategy(empty, strategies, DEFAULT_GOALS, lambda _: outcome, row_of)]
    assert [(name, status) for name, status, *_ in rows] == [
        ("range", "empty"),
        ("optimal", "empty"),
    ]


def test_each_kind_has_its_verdict() -> None:
    league = [
        {"kind": kind, "strategy": name, "remote": remote}
        for kind in ("consumer", "connect")
        for name, remote in ((CURRENT, 9), ("range", 7), ("optimal", 2))
    ]
    text = verdicts(league, lambda rows: f"{len(rows)} rows.")
    assert text == "3 rows. Groups of Connect workers: 3 rows."
    assert verdicts([], lambda rows: "none") == ""
    assert of_racks(league, "remote") == (9, 2)
    assert of_racks(league[1:3], "remote") is None
    assert [row["strategy"] for row in kafkas_own(league[:3])] == ["range"]


def test_racks_are_needed_by_goals_or_by_a_strategy() -> None:
    assert not need_racks([CURRENT, "optimal"], FleetGoals())
    assert need_racks([CURRENT, "range"], FleetGoals())
    assert need_racks([CURRENT], FleetGoals(Goals(rack="leader")))
