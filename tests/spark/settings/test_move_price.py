"""Prices of a move as users write them."""

import pytest

from spark import InputError
from spark.settings import costs_of, move_price


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


def test_prices_of_strategies_the_cheapest_first_and_of_rows() -> None:
    moves = {"range": 20, "optimal": 3, "uniform": None}
    rows = [{"strategy": name, "moves": count} for name, count in moves.items()]
    assert (
        costs_of(move_price("30s"), rows)
        == "At 30 s for each partition that moves: optimal 90 s, range 600 s."
    )
    assert costs_of(move_price("2GB"), []) == "At 2.00 GB for each partition that moves: no moves."
    costs = [row["move_seconds"] for row in move_price("30s").with_costs(rows)]
    assert costs == [600, 90, None]
    assert move_price("2GB").with_costs(rows)[0] == rows[0] | {"move_bytes": 40 * 10**9}
