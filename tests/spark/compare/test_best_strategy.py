"""The verdict on a fleet, and the table above it."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from optimizer import STRATEGIES
from spark.compare.best_strategy import best_of
from spark.jobs.compare_shown import COLUMNS_SHOWN
from spark.terminal import console
from spark.terminal.printing import show


def of_strategy(name: str, unbalanced: int = 0, **facts: Any) -> dict[str, Any]:
    """A row of the fleet's table."""
    row = {"strategy": name, "groups": 9, "unbalanced": unbalanced, "excess": 0, "moves": 5}
    return row | {"remote_reads": None, "not_evaluated": 0, "why": None} | facts


def test_the_best_is_named_with_what_it_comes_to_and_the_best_of_kafkas_own_beside_it() -> None:
    rows = [
        of_strategy("optimal", moves=1234),
        of_strategy("sticky", 2, excess=3, moves=1300),
        of_strategy("current", 8, moves=0),
        of_strategy("range", 9),
    ]
    assert best_of(rows) == (
        "Best of Kafka's own: sticky: 7 of 9 groups balanced, 3 partitions above the optimum, "
        "1,300 moves; optimal: 9 of 9 groups balanced, 1,234 moves."
    )
    rows[1] |= {"unbalanced": 0, "excess": 0}
    assert best_of(rows) == (
        "Best of Kafka's own: sticky: 9 of 9 groups balanced, 1,300 moves; "
        "optimal: needs 1,234 moves."
    )


def test_those_that_do_as_well_are_named() -> None:
    rows = [
        of_strategy("optimal"),
        of_strategy("sticky"),
        of_strategy("uniform"),
        of_strategy("x", 1),
    ]
    assert best_of(rows) == (
        "Best: optimal (as good: sticky, uniform): 9 of 9 groups balanced, 5 moves."
    )


def test_by_weight_the_worst_members_are_told_and_not_how_many_partitions_they_have() -> None:
    rows = [
        of_strategy("optimal", excess=7, mean_over_bound=1.001),
        of_strategy("range", excess=0, mean_over_bound=1.5),
    ]
    assert best_of(rows) == (
        "Best of Kafka's own: range: 9 of 9 groups balanced, worst members by weight at 1.5 "
        "times the bound, 5 moves; optimal: 9 of 9 groups balanced, worst members by weight at "
        "1.001 times the bound, 5 moves."
    )


def test_reads_across_racks_that_the_optimum_saves_are_told_where_they_were_counted() -> None:
    rows = [of_strategy("optimal", remote_reads=3), of_strategy("current", 1, remote_reads=10)]
    assert best_of(rows).endswith("5 moves. optimal saves 7 of 10 reads across racks.")
    assert "reads" not in best_of([rows[0], of_strategy("current", 1, remote_reads=3)])


def test_a_balanced_fleet_is_left_as_it_is() -> None:
    rows = [of_strategy("current", moves=0), of_strategy("optimal", moves=0), of_strategy("range")]
    assert best_of(rows).startswith("Best: no change (as good: optimal): 9 of 9 ")


def test_groups_that_failed_are_told_whoever_is_best() -> None:
    rows = [
        of_strategy("optimal", not_evaluated=2, why="2 empty"),
        of_strategy("range", 3, not_evaluated=2, why="2 empty"),
        of_strategy("sticky", not_evaluated=4, why="2 empty, 2 failed; the first is g"),
    ]
    assert best_of(rows).endswith(
        ". Not evaluated: 2 (2 empty). Not evaluated by sticky: 4 "
        "(2 empty, 2 failed; the first is g)."
    )


def test_groups_of_connect_workers_have_a_verdict_of_their_own() -> None:
    connect = {"kind": "connect"}
    rows = [
        *(of_strategy("sticky"), of_strategy("optimal", 1)),
        *(of_strategy("optimal", groups=2, **connect), of_strategy("current", 1, **connect)),
    ]
    assert best_of(rows) == (
        "Best: sticky: 9 of 9 groups balanced, 5 moves. "
        "Groups of Connect workers: Best: optimal: 2 of 2 groups balanced, 5 moves."
    )
    assert best_of(rows[2:]).startswith("Groups of Connect workers: ")


def test_strategies_that_are_for_none_of_the_groups() -> None:
    assert best_of([]) == "Nothing to compare: no group that these strategies are for."


def test_a_fleet_without_any_answer() -> None:
    row = of_strategy("optimal", groups=0, not_evaluated=1, why="1 empty", excess=None, moves=None)
    assert best_of([row]) == ("Nothing to compare: 0 of 1 groups could be measured (1 empty).")


def test_a_strategy_without_any_answer_is_never_the_best() -> None:
    """Though it may come first: it has nothing in excess, and moves nothing."""
    none = {"groups": 0, "not_evaluated": 9, "excess": None, "moves": None, "why": "9 failed"}
    assert best_of([of_strategy("sticky", **none), of_strategy("range", 9)]) == (
        "Best: range: 0 of 9 groups balanced, 5 moves. Not evaluated by sticky: 9 (9 failed)."
    )


def test_the_table_of_a_large_fleet_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is folded or cut: neither a strategy's name nor a number of nine digits."""
    monkeypatch.setattr(
        console, "OUT", Console(width=80, highlight=False, force_terminal=True, color_system=None)
    )
    numbers = {name: 20_000 for name in COLUMNS_SHOWN if name != "strategy"}
    numbers |= {"moves": 2_000_000, "mean_topic_share": 2.5, "worst_max_to_mean": 100.25}
    rows = [{"strategy": name} | numbers for name in STRATEGIES]
    unlike = dict.fromkeys(numbers, 0)  # a column that says the same in all rows isn't one
    show({"strategies": [*rows, {"strategy": "none"} | unlike]})
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    for name in STRATEGIES:
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert line.split()[1:] == [
            *("20,000", "100.2", "2.5", "20,000", "2,000,000", "20,000"),
        ]
