"""Prices of a move as users write them."""

from __future__ import annotations

import pytest

from spark import InputError
from spark.settings import move_price, priced


@pytest.mark.parametrize(
    ("text", "moves", "cost"),
    [("30s", 3, "90 s"), ("2m", 1, "120 s"), ("2GB", 3, "6.00 GB"), ("0s", 5, "0 s")],
)
def test_a_price_times_moves(text: str, moves: int, cost: str) -> None:
    assert move_price(text).text(moves) == cost


@pytest.mark.parametrize("text", ["", "30", "2 GB", "-1s", "x"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no price of a move"):
        move_price(text)


def test_strategies_the_cheapest_first() -> None:
    rows = [
        {"strategy": "range", "moves": 20},
        {"strategy": "optimal", "moves": 3},
        {"strategy": "uniform", "moves": None},
    ]
    assert (
        priced(move_price("30s"), rows)
        == "At 30 s for each partition that moves: optimal 90 s, range 600 s."
    )
    assert priced(move_price("2GB"), []) == "At 2.00 GB for each partition that moves: no moves."


def test_rows_with_what_their_moves_cost() -> None:
    rows = [{"moves": 20}, {"moves": None}]
    assert move_price("30s").with_costs(rows) == [
        {"moves": 20, "move_seconds": 600},
        {"moves": None, "move_seconds": None},
    ]
    assert move_price("2GB").with_costs(rows)[0] == {"moves": 20, "move_bytes": 40 * 10**9}
