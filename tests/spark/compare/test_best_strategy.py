"""The verdict on a fleet, and the table above it."""

from typing import Any

import pytest
from rich.console import Console

from optimizer import STRATEGIES
from spark.compare.fleet_comparison import best_of
from spark.jobs.compare import COLUMNS_SHOWN
from spark.terminal import console
from spark.terminal.printing import show


def of_strategy(name: str, unbalanced: int = 0, **facts: Any) -> dict[str, Any]:
    """A row of the fleet's table."""
    row = {"strategy": name, "groups": 9, "unbalanced": unbalanced, "excess": 0, "moves": 5}
    return row | {"remote_reads": None, "not_evaluated": 0, "why": None} | facts


BEST = "Best: optimal (9 of 9 groups balanced, 5 moves)."
OF_CONNECT = "Groups of Connect workers: Best: optimal (2 of 2 groups balanced, 5 moves)."
NONE = {"groups": 0, "excess": None, "moves": None}
KAFKAS = [
    of_strategy("optimal", moves=1234),
    of_strategy("sticky", 2, excess=3, moves=1300),
    of_strategy("current", 8, moves=0),
    of_strategy("range", 9),
]
CONNECT = [
    of_strategy("optimal", groups=2, kind="connect"),
    of_strategy("current", 1, kind="connect"),
]
READS = [of_strategy("optimal", remote_reads=3), of_strategy("current", 1, remote_reads=10)]


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (
            KAFKAS,
            "Kafka's best: sticky (7 of 9 groups balanced, 3 partitions above the optimum, "
            "1,300 moves); optimum: 9 of 9 groups balanced, 1,234 moves.",
        ),
        (
            [KAFKAS[0], of_strategy("sticky", moves=1300), *KAFKAS[2:]],
            "Kafka's best: sticky (9 of 9 groups balanced, 1,300 moves; optimum 1,234).",
        ),
        (  # as good as the best
            [*map(of_strategy, ("optimal", "sticky", "uniform")), of_strategy("x", 1)],
            "Best: optimal, tied with sticky, uniform (9 of 9 groups balanced, 5 moves).",
        ),
        (  # by weight, partitions in excess don't count
            [
                of_strategy("optimal", excess=7, mean_over_bound=1.001),
                of_strategy("range", excess=0, mean_over_bound=1.5),
            ],
            "Kafka's best: range (9 of 9 groups balanced, worst members 1.5 × the bound, 5 moves); "
            "optimum: 9 of 9 groups balanced, worst members 1.001 × the bound, 5 moves.",
        ),
        (READS, f"{BEST} optimal saves 7 of 10 reads across racks."),
        ([READS[0], of_strategy("current", 1, remote_reads=3)], BEST),
        (
            [
                of_strategy("current", moves=0),
                of_strategy("optimal", moves=0),
                of_strategy("range"),
            ],
            "Nothing to change (9 of 9 groups balanced, 0 moves).",
        ),
        (
            [
                of_strategy("optimal", not_evaluated=2, why="2 empty"),
                of_strategy("range", 3, not_evaluated=2, why="2 empty"),
                of_strategy("sticky", not_evaluated=4, why="2 empty, 2 failed; the first is g"),
                of_strategy("uniform", not_evaluated=4, why="2 empty, 2 failed; the first is h"),
            ],
            "Kafka's best: range (6 of 9 groups balanced, 5 moves); optimum: 9 of 9 groups "
            "balanced, 5 moves. Not evaluated: 2 (2 empty). "
            "Not evaluated by sticky, uniform: 2 more, see `why`.",
        ),
        (
            [of_strategy("sticky"), of_strategy("optimal", 1), *CONNECT],
            f"Best: sticky (9 of 9 groups balanced, 5 moves). {OF_CONNECT}",
        ),
        (CONNECT, OF_CONNECT),
        ([], "Nothing to compare: no group that these strategies are for."),
        (
            [of_strategy("optimal", not_evaluated=1, why="1 empty", **NONE)],
            "Nothing to compare: 0 of 1 groups could be measured (1 empty).",
        ),
        (  # one without any answer is never the best, though it may come first
            [
                of_strategy("sticky", not_evaluated=9, why="9 failed; the first is g", **NONE),
                of_strategy("range", 9),
            ],
            "Best: range (0 of 9 groups balanced, 5 moves). Not evaluated by sticky: 9 (9 failed).",
        ),
    ],
)
def test_the_best_is_named_with_what_it_comes_to(rows: list[dict[str, Any]], verdict: str) -> None:
    assert best_of(rows) == verdict


def test_the_table_of_a_large_fleet_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is folded or cut: neither a strategy's name nor a number of nine digits."""
    size = {"width": 80, "height": 60}
    terminal = Console(**size, highlight=False, force_terminal=True, color_system=None)
    monkeypatch.setattr(console, "OUT", terminal)
    numbers = {name: 20_000 for name in COLUMNS_SHOWN if name != "strategy"}
    numbers |= {"moves": 2_000_000, "mean_over_bound": 2.5, "worst_over_bound": 100.25}
    rows = [{"strategy": name} | numbers for name in STRATEGIES]
    unlike = dict.fromkeys(numbers, 0)  # a column that says the same in all rows isn't one
    show({"strategies": [*rows, {"strategy": "none"} | unlike]})
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    for name in STRATEGIES:
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert line.split()[1:] == [
            *("20,000", "2.5", "100.2", "20,000", "2,000,000", "20,000"),
        ]
